/** Reads the CSV of a dispute. Throws VALIDATION_FAILED with the columns that it has and those that it needs. */
import { DisputeRow, disputeRowsMax } from '../contract/study-disputes.js';
import { wellFormed } from '../kernel/body.js';
import { invalid } from '../kernel/faults.js';
import { hasRepeated, parseCsv, readHeader } from './csv.js';

const columns = Object.keys(DisputeRow.properties);
const shownMax = 200;

export function readDisputeTable(text: string): readonly Readonly<Record<string, string>>[] {
  const header = readHeader(text);
  const isNamed = header.includes('rid') || header.includes('place');
  if (!isNamed || !header.includes('reason') || hasRepeated(header)) throw wrongColumns(header);
  const rows = parseCsv(text, disputeRowsMax);
  if (rows === null)
    throw refused('has a line that cannot be read. Check quotes, cells beyond the header, and empty lines.');
  if (rows.length === 0) throw refused('has no line below its header.');
  // An empty column of another name harms nothing.
  if (rows.some((row) => Object.keys(row).some((name) => !columns.includes(name)))) throw wrongColumns(header);
  return rows;
}

function wrongColumns(header: readonly string[]) {
  const found = wellFormed(
    header
      .map((name) => `"${name}"`)
      .join(', ')
      .slice(0, shownMax),
  );
  return refused(
    `has ${found === '' ? 'no columns' : `the columns ${found}`}. Send rid or place, and reason; sourceId and note are optional. Separate columns with commas, and name each once.`,
  );
}

const refused = (message: string) => invalid([{ path: '', message }]);
