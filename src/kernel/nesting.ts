/** Whether a parsed body has more than `levels` levels. Recurses no deeper than that. */
export function isDeeper(body: unknown, levels: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return levels === 0 || Object.values(body).some((value) => isDeeper(value, levels - 1));
}
