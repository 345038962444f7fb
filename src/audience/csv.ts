/** CSV as RFC 4180 has it: cells that are written never run in a spreadsheet, and tables that are read have a header. Pure. */

/** One cell: quoted where it has to be, and never a formula. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** A cell, and what ends it. A quoted cell holds commas, line ends and doubled quotes. */
const cellForm = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** The records of a table, named by its header, without empty cells and without the apostrophes of csvCell. null: the text is no CSV. */
export function parseCsv(text: string): readonly Readonly<Record<string, string>>[] | null {
  const lines = splitCsv(text.replace(/^\uFEFF/, ''));
  if (lines === null) return null;
  const [header = [], ...records] = lines.filter((cells) => cells.some((cell) => cell !== ''));
  if (records.some(({ length }) => length > header.length)) return null;
  return records.map((cells) =>
    Object.fromEntries(
      header.flatMap((name, index) => ((cells[index] ?? '') === '' ? [] : [[name.trim(), cells[index] ?? '']])),
    ),
  );
}

function splitCsv(text: string): readonly (readonly string[])[] | null {
  const lines: string[][] = [[]];
  for (let at = 0; at < text.length;) {
    cellForm.lastIndex = at;
    const [match, quoted, plain = '', end] = cellForm.exec(text) ?? [];
    if (match === undefined) return null;
    lines.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?=[=+\-@\t\r\n])/, ''));
    if (end !== ',' && end !== '') lines.push([]);
    at += match.length;
  }
  return lines;
}
