/**
 * The name of a source as the score mix keeps it. Receipts of older versions may name a source by any text, a database keeps no NUL: such a name is kept, and
 * asked for, with a replacement in its place, so that one odd name stops no other session’s counting.
 */
export function keptSourceName(name: string): string {
  return name.replaceAll('\0', '\ufffd');
}
