/** Compares the database at the end with the replies that callers got. */
import type t from 'tap';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import type { Database } from '../../src/stores/database/port.js';
import type { Fleet } from './fleet.js';
import { loadStudy, scoreBody, type ScoreLoad } from './score-load.js';
import { waitUntil } from './wait-until.js';

type Test = Pick<typeof t, 'equal' | 'same' | 'ok' | 'comment'>;
const deadlineMs = 90_000;
const refusedShareMax = 0.02;

/** Every answered receipt is recorded, once; every accepted event is stored, once, and counts once in the history. */
export async function auditLoad(t: Test, databaseUrl: string, load: ScoreLoad): Promise<void> {
  const database = await openPostgres({ url: databaseUrl, poolMax: 2, deadlineMs: 30_000 });
  try {
    await auditReceipts(t, database, [...load.receipts.values()]);
    if (load.completed.size > 0) await auditEvents(t, database, load.completed.size);
  } finally {
    await database.close();
  }
  t.same([...new Set(load.faults)].slice(0, 10), [], 'nothing but 200, and 503 with Retry-After, and each in time');
}

/** Scoring went on: a machine that is short of breath may have refused a few, which were asked again. */
export function auditRefusals(t: Pick<Test, 'ok'>, { answers: { total, refused } }: ScoreLoad): void {
  t.ok(refused <= total * refusedShareMax, `${refused} of ${total} were refused`);
}

async function auditReceipts(t: Test, database: Database, answered: readonly string[]): Promise<void> {
  const stored = async () => {
    const rows = await database.query<{ receipt_id: string; copies: number }>(
      'SELECT receipt_id, count(*) AS copies FROM receipts WHERE receipt_id = ANY($1) GROUP BY receipt_id',
      [answered],
    );
    return new Map(rows.map((row) => [row.receipt_id, row.copies]));
  };
  await waitUntil(
    async () => (await stored().catch(() => new Map())).size >= answered.length,
    'every answered receipt is recorded',
    deadlineMs,
  ).catch(() => undefined);
  const copies = await stored();
  t.same(
    answered.filter((receiptId) => !copies.has(receiptId)).slice(0, 5),
    [],
    `none of ${answered.length} answered receipts is lost`,
  );
  t.same(
    [...copies].filter(([, count]) => count !== 1),
    [],
    'and none is recorded twice',
  );
}

async function auditEvents(t: Test, database: Database, accepted: number): Promise<void> {
  const [events] = await database.query<{ n: number }>('SELECT count(*) AS n FROM outcomes');
  t.equal(events?.n, accepted, 'each accepted event is stored once');
  const counted = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>(
      'SELECT coalesce(max(n), 0) AS n FROM (SELECT sum((day.value->>0)::int) AS n FROM history, jsonb_each(days) AS day GROUP BY subject_ref) AS subjects',
    );
    return row?.n ?? 0;
  };
  await waitUntil(async () => (await counted()) >= accepted, 'the history has every event', deadlineMs).catch(
    () => undefined,
  );
  t.equal(await counted(), accepted, 'the source’s history counts each session once');
}

/** A further session of each respondent is told how many there were: none counted twice, and none missing where every count was made. */
export async function auditCounts(t: Test, { members, keys }: Fleet, load: ScoreLoad, isExact: boolean): Promise<void> {
  const url = members.find((member) => member.roles.includes('api') && member.baseUrl() !== null)?.baseUrl() ?? '';
  const wrong: string[] = [];
  for (const [respondentId, sessions] of load.sessionsOf) {
    const answer = await fetch(`${url}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': keys.projectKey },
      body: JSON.stringify(scoreBody(`audit-${respondentId}`, respondentId)),
    });
    const { duplicate } = (await answer.json()) as { duplicate: { evidence: { respondentDay: number | null } } };
    const counted = duplicate.evidence.respondentDay ?? 0;
    if (counted > sessions + 1 || (isExact && counted < sessions + 1))
      wrong.push(`${respondentId} in ${loadStudy}: ${counted} counted of ${sessions + 1}`);
  }
  t.same(wrong.slice(0, 5), [], `each of ${load.receipts.size} sessions counts once`);
}
