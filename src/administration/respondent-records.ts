/**
 * Records of a respondent as capabilities keep them: each names its table, the same condition by which an erasure finds its rows, and the columns
 * that the respondent may see. Read in the order of their ids.
 */
import type { RespondentRecord, RespondentRecordKind } from '../contract/respondent-export.js';
import type { Database, Queryable, Row, SqlValue } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';

/** Every name under which something of a respondent may be kept. */
export interface RespondentNames {
  readonly organizationId: string;
  readonly projectId: string;
  /** The id as given comes first, then those that studies made of it. */
  readonly respondentIds: readonly string[];
  /** The project’s namespaces. */
  readonly namespaces: readonly string[];
  /** Keyed hashes of the ids. */
  readonly subjects: readonly string[];
  /** Sessions of verifications and scores, and places in studies. */
  readonly sessionIds: readonly string[];
  /** Keyed hashes of them, and those of receipts. */
  readonly sessionRefs: readonly string[];
}

export interface RecordSource {
  readonly kind: RespondentRecordKind;
  readonly table: string;
  /** An SQL expression of text, unique among the rows. */
  readonly id: string;
  /** Named in camel case in the record. */
  readonly columns: readonly string[];
  /** With the values as $1, $2 and so on. */
  readonly where: string;
  readonly values: (names: RespondentNames) => readonly SqlValue[];
  /** The table is reserved for background work: no transaction of an organization sees it. */
  readonly isReserved?: boolean;
  /** Makes the record’s data of the columns. */
  readonly render?: (row: Row) => Row;
}

/** For a walk over the receipts of a project. */
export const walkDeadlineMs = 120_000;

/** At most `limit` records with an id above `after`. */
export async function readRecords(
  database: Database,
  names: RespondentNames,
  source: RecordSource,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly RespondentRecord[]> {
  const { kind, table, id, columns, where, isReserved = false, render = withoutOthers } = source;
  const values = source.values(names);
  const sql = `SELECT ${id} AS record_id, ${columns.join(', ')} FROM ${table}
    WHERE ${where} AND ${id} COLLATE "C" > $${values.length + 1} ORDER BY ${id} COLLATE "C" LIMIT ${limit}`;
  const read = (tx: Queryable) =>
    tx.query<Row & { record_id: string }>(sql, [...values, after], { deadlineMs: walkDeadlineMs });
  const rows = isReserved ? await read(database) : await inOrganization(database, names.organizationId, read);
  return rows.map(({ record_id: recordId, ...row }) => ({ kind, id: recordId, data: render(inCamelCase(row)) }));
}

const inCamelCase = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** Names of other respondents, in results and in payloads of webhooks. */
const others = new Set([
  'duplicateMatch',
  'duplicate_match',
  'priorParticipation',
  'prior_participation',
  'matchedSessionId',
]);

export const withoutOthers = (row: Row): Row =>
  JSON.parse(JSON.stringify(row, (key, value: unknown) => (others.has(key) ? undefined : value))) as Row;

/** For a column that holds JSON as text. */
export const parsed =
  (name: string): NonNullable<RecordSource['render']> =>
  (row) =>
    withoutOthers({ ...row, [name]: JSON.parse(String(row[name])) as unknown });
