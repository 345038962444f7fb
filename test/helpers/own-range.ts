/** An address in a range of its own for every name, so that nobody’s record touches another’s. */
export function ownRange(): (name: unknown) => string {
  const places = new Map<unknown, number>();
  return (name) => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return `8.8.${place % 256}.4`;
  };
}
