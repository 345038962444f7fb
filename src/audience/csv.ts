/** CSV as RFC 4180 has it: cells that are written never run in a spreadsheet, and tables that are read have a header. Pure. */

/** Matches before a formula at the start of a cell, or after a character at which a spreadsheet of another locale starts one, behind any number of apostrophes. */
const formula = /(?<=^|[;|\t\r\n])(?='*[=+\-@\t\r\n＝＋－＠])/g;
/** One more apostrophe makes each a text that differs from every other. */
const escapedFormula = /(?<=^|[;|\t\r\n])'(?='*[=+\-@\t\r\n＝＋－＠])/g;

/** One cell: quoted where it has to be, and never a formula. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = value.replaceAll(formula, "'");
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** The text of a cell that csvCell wrote. */
export const unescapeCell = (cell: string): string => cell.replaceAll(escapedFormula, '');

/** Most columns of a table that is read. */
const columnsMax = 32;

/** A cell, and what ends it. A quoted cell holds commas, line ends and doubled quotes. */
const cellForm = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/**
 * The records of a table, named by its header, without empty cells. The apostrophes of csvCell stay, because a table may come from elsewhere. Reading
 * stops with the record after the last one allowed, and at most half of the lines may be empty, so that the cost follows `recordsMax` and not the text. null: the text is no such table, or two of its
 * columns have one name.
 */
export function parseCsv(text: string, recordsMax: number): readonly Readonly<Record<string, string>>[] | null {
  const linesMax = 2 * (recordsMax + 2);
  const records: Record<string, string>[] = [];
  let header: readonly string[] | null = null;
  let lineCount = 0;
  for (const cells of readLines(text.replace(/^\uFEFF/, ''))) {
    lineCount += 1;
    if (cells === null || lineCount > linesMax) return null;
    if (cells.every((cell) => cell === '')) continue;
    if (header === null) {
      header = cells.map((name) => name.trim());
      if (hasRepeated(header) || header.some((name) => /[;\t]/.test(name))) return null;
      continue;
    }
    if (cells.length > header.length) return null;
    const named = cells.flatMap((cell, index) => (cell === '' ? [] : [[header?.[index] ?? '', cell]]));
    if (records.push(Object.fromEntries(named) as Record<string, string>) > recordsMax) break;
  }
  return records;
}

/** The names of a table’s columns, also of one that is no table below. */
export function readHeader(text: string): readonly string[] {
  const [cells] = readLines(text.replace(/^[\uFEFF\s,]+/, ''));
  return cells?.map((name) => name.trim()) ?? [];
}

/** Whether two columns have one name. */
export function hasRepeated(header: readonly string[]): boolean {
  const names = header.filter((name) => name !== '');
  return new Set(names).size < names.length;
}

/** null: what follows is no line of a table. */
function* readLines(text: string): Generator<readonly string[] | null, void> {
  let cells: string[] = [];
  for (let at = 0; at < text.length;) {
    cellForm.lastIndex = at;
    const [match, quoted, plain = '', end] = cellForm.exec(text) ?? [];
    if (match === undefined || cells.length === columnsMax) {
      yield null;
      return;
    }
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    at += match.length;
    if (end === ',') continue;
    yield cells;
    cells = [];
  }
  if (cells.length > 0) yield cells;
}
