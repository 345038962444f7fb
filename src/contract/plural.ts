/** A count with its noun: "1 session", "2 sessions". English, for findings, replies and log lines; the widget has its own in each language. */
export function countNoun(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
