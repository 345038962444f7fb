/**
 * A database after a year: a partition of receipts for each of 400 days, and sessions that were scored on them, by the recorder that the consumers
 * use. What they were scored with is little; what matters is how many there are and where they lie.
 */
import { createHash } from 'node:crypto';
import type { RecordedVerdict } from '../../src/contract/pool.js';
import { idAt } from '../../src/crypto/ids.js';
import { packSealed } from '../../src/record/record.js';
import { createReceiptRecorder } from '../../src/scoring/receipts/receipts.js';
import type { Database } from '../../src/stores/database/port.js';
import type { LogEntry } from '../../src/stores/log/port.js';
import { cleanFacts } from './facts.js';
import { cleanVerdict, recordOf, splitFacts } from './records.js';

export const dayMs = 86_400_000;
const batch = 500;
/** Tables made in one go: each is a lock until it is over. */
const statementsMax = 50;

export const refOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Makes the partitions of the days before `nowMs`, as the recorder does. */
export async function makeDays(database: Database, nowMs: number, days: number): Promise<void> {
  const make = Array.from({ length: days }, (_, before) => {
    const [day, next] = [dayOf(nowMs - before * dayMs), dayOf(nowMs - (before - 1) * dayMs)];
    return `CREATE TABLE receipts_${day.replaceAll('-', '')} PARTITION OF receipts FOR VALUES FROM ('${day} 00:00:00+00') TO ('${next} 00:00:00+00')`;
  });
  for (let from = 0; from < days; from += statementsMax)
    await database.query(make.slice(from, from + statementsMax).join(';'), [], { deadlineMs: 60_000 });
}

export interface PastScore {
  readonly projectId: string;
  readonly sessionId: string;
  readonly atMs: number;
  readonly respondent?: string;
  readonly device?: string | null;
  /** Over an inconspicuous one. */
  readonly verdict?: Partial<RecordedVerdict>;
}

/** An entry of the log as a score leaves it there; its seal holds for nothing. */
export function entryOf(score: PastScore): LogEntry {
  const { projectId, sessionId, atMs, respondent = sessionId, device = null, verdict } = score;
  const receiptId = idAt('receipt', atMs, createHash('sha256').update(`${projectId}/${sessionId}/${atMs}`).digest());
  const { base } = splitFacts(cleanFacts({ receiptId, sessionId, scoredAtMs: atMs }));
  const subjects = { respondent: refOf(respondent), source: refOf('source'), subSource: null };
  const trace = {
    ...base.trace,
    ...{ session: refOf(`session ${sessionId}`), scope: refOf('study'), respondent: subjects.respondent },
    ...{ device: device === null ? null : refOf(device), address: refOf(`address ${sessionId}`), deviceClass: null },
  };
  const owner = { receiptId, organizationId: 'org_year', projectId, lineage: 'key' };
  const record = recordOf({ ...base, owner, trace, subjects }, null, { ...cleanVerdict, ...verdict });
  return { key: receiptId, value: packSealed(record, noSeal) };
}

const noSeal = { keyId: '', signature: new Uint8Array(), index: 0, count: 1, path: new Uint8Array() };

/** Records scores of the past, a batch at a time. */
export async function recordScores(database: Database, scores: Iterable<PastScore>): Promise<void> {
  const record = createReceiptRecorder(database);
  let entries: LogEntry[] = [];
  for (const score of scores) {
    entries.push(entryOf(score));
    if (entries.length < batch) continue;
    await record(entries);
    entries = [];
  }
  if (entries.length > 0) await record(entries);
}

/** Posts outcomes as rows, many at a time, and orders their work. */
export async function postOutcomes(
  database: Database,
  scores: readonly PastScore[],
  { type, reasonClass = null }: { readonly type: string; readonly reasonClass?: string | null },
): Promise<void> {
  const columns = [
    scores.map(({ projectId }) => projectId),
    scores.map(({ sessionId }) => refOf(`session ${sessionId}`)),
  ];
  await database.query(
    `INSERT INTO outcomes (namespace, session_ref, type, occurred_at, reason_class)
     SELECT project, session, $4, at, $5 FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS row (project, session, at)`,
    [...columns, scores.map(({ atMs }) => new Date(atMs)), type, reasonClass],
    { deadlineMs: 60_000 },
  );
  await database.query(
    'INSERT INTO adjudication_work (namespace, session_ref) SELECT * FROM unnest($1::text[], $2::text[])',
    columns,
    { deadlineMs: 60_000 },
  );
}
