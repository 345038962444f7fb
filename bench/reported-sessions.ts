/**
 * Invented sessions with outcomes, for a recount of the reports. The recorder writes them; their ids say what else a recount needs:
 * `device/browser/country/independence/evidence/n`. Further ones are copies in the database. The same seed gives the same sessions.
 */
import { createHash } from 'node:crypto';
import { pack } from 'msgpackr';
import type { ScoreReply } from '../src/contract/score.js';
import { createBatchSigner } from '../src/crypto/batch-signer.js';
import { idAt } from '../src/crypto/ids.js';
import { deriveSigningKey } from '../src/crypto/master-key.js';
import { packSealed } from '../src/record/record.js';
import { storeEvents } from '../src/scoring/outcomes/outcome-store.js';
import type { OutcomeRow } from '../src/scoring/outcomes/outcome-rows.js';
import type { ProjectScope } from '../src/scoring/project-scope.js';
import { createReceiptRecorder } from '../src/scoring/receipts/receipts.js';
import type { Database } from '../src/stores/database/port.js';
import { cleanFacts } from '../test/helpers/facts.js';
import { cleanVerdict, recordOf, splitFacts } from '../test/helpers/records.js';
import { createRandom } from '../workers/seeded-random.js';

export const reportedDays = 90;
const dayMs = 86_400_000;
const batch = 1_000;
const signer = createBatchSigner(deriveSigningKey(new Uint8Array(32), 'receipts'));

const agents = [
  [
    'phone/chrome',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36',
  ],
  [
    'tablet/chrome',
    'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  ],
  [
    'tablet/safari',
    'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
  ],
  ['desktop/firefox', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0'],
  ['desktop/edge', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0'],
] as const;
const countries = 'DE FR PL US GB IT ES NL SE NO DK FI AT CH BE CZ SK HU RO BG GR PT IE HR SI'.split(' ');

/** Fates of a session: its events, each so many days after the score. */
const fates: readonly (readonly [upTo: number, events: readonly (readonly [string, string | null, number])[]])[] = [
  [0.5, [['complete', null, 0]]],
  [
    0.58,
    [
      ['complete', null, 0],
      ['reconciliation', 'fraud', 12],
    ],
  ],
  [0.63, [['buyer_reject', 'fraud', 1]]],
  [
    0.66,
    [
      ['complete', null, 0],
      ['buyer_reject', 'quality', 3],
    ],
  ],
  [0.68, [['quality_term', null, 0]]],
];

/** Records `count` sessions of the project over the days before `nowMs`, and stores their outcomes. */
export async function recordReported(
  database: Database,
  scope: ProjectScope,
  count: number,
  nowMs: number,
): Promise<void> {
  const random = createRandom(count);
  const record = createReceiptRecorder(database);
  for (let from = 0; from < count; from += batch) {
    const some = Array.from({ length: Math.min(batch, count - from) }, (_, n) =>
      invent(random, scope, { n: from + n, atMs: nowMs - ((from + n + 1) * reportedDays * dayMs) / (count + 1) }),
    );
    // The earlier receipt of a session that was scored twice may come later.
    await record(await Promise.all(some.flatMap(({ scores }) => scores).map(sealed)));
    const outcomes = some
      .flatMap((session) => session.outcomes)
      .filter(({ occurredAt }) => occurredAt.getTime() < nowMs);
    await storeEvents(database, outcomes);
  }
}

interface Score {
  readonly receiptId: string;
  readonly record: Uint8Array;
}

const sealed = async ({ receiptId, record }: Score) => ({
  key: receiptId,
  value: packSealed(record, await signer.seal(record)),
});

const pick = <T>(items: readonly T[], at: number): T => items[Math.floor(items.length * at)] as T;

function invent(random: () => number, scope: ProjectScope, { n, atMs }: { readonly n: number; readonly atMs: number }) {
  const [kind, userAgent] = pick(agents, random());
  const country = pick(countries, random() ** 2);
  const evidence = Math.floor(101 * random() ** 3);
  const independence = Math.floor(101 * random());
  const sessionId = [kind, country, independence, evidence, n].join('/');
  // Copies are milliseconds older, and stay on its day.
  const scoredAtMs = Math.floor(atMs) + (atMs % dayMs < 1_000 ? 1_000 : 0);
  const named = { sessionId, userAgent, country };
  const last = scoreOf(random, scope, { ...named, evidence, independence, atMs: scoredAtMs });
  const isScoredTwice = random() < 0.1;
  const other = {
    evidence: Math.floor(101 * random()),
    independence: 50,
    atMs: scoredAtMs - Math.floor(2 * dayMs * random()),
  };
  const scores = isScoredTwice ? [last, scoreOf(random, scope, { ...named, ...other })] : [last];
  // Fraud is likelier at high scores, as labels must say for an offer of probabilities.
  const fate = random() < evidence / 150 ? 0.5 + 0.13 * random() : random();
  const events = fates.find(([upTo]) => fate < upTo)?.[1] ?? [];
  const outcomes = events.map(([type, reasonClass, days]): OutcomeRow => ({
    ...{ namespace: scope.namespace, sessionRef: refOf(sessionId), type, reasonClass },
    ...{ occurredAt: new Date(scoredAtMs + days * dayMs + 1), target: '', respondentRef: null, eventId: null },
  }));
  return { scores: random() < 0.5 ? scores : scores.toReversed(), outcomes };
}

const refOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);

interface Invented {
  readonly sessionId: string;
  readonly userAgent: string;
  readonly country: string;
  readonly evidence: number;
  readonly independence: number;
  readonly atMs: number;
}

function scoreOf(random: () => number, { organizationId, projectId }: ProjectScope, invented: Invented): Score {
  const { sessionId, userAgent, country, evidence, independence, atMs } = invented;
  const receiptId = idAt(
    'receipt',
    atMs,
    createHash('sha256')
      .update(pack([sessionId, atMs]))
      .digest(),
  );
  const source = Math.floor(21 * random() ** 2);
  const sourceId = source === 20 ? null : `supplier-${source}`;
  const clean = cleanFacts();
  const { base, counted } = splitFacts({
    ...clean,
    ...{ receiptId, sessionId, userAgent, scoredAtMs: atMs, address: { ...clean.address, country } },
  });
  const isPolicy = random() < 0.2;
  const uncapped = isPolicy ? Math.max(evidence, 45) : evidence;
  const caps = [
    ...(random() < 0.3 ? ['uncorroborated'] : []),
    ...(isPolicy && uncapped > evidence ? [`policy:${evidence}`] : []),
  ];
  const record = recordOf(
    {
      ...{ ...base, sourceId, studyId: `study-${Math.floor(5 * random())}` },
      owner: { ...base.owner, organizationId, projectId, receiptId },
      trace: { ...base.trace, session: refOf(sessionId), nowMs: atMs },
      subjects: { respondent: null, source: refOf(String(source)), subSource: null },
    },
    counted,
    { ...cleanVerdict, uncapped, caps, score: uncapped, independence, recommendation: adviceOf(uncapped, random()) },
  );
  return { receiptId, record };
}

function adviceOf(score: number, luck: number): ScoreReply['recommendation'] {
  if (score >= 75) return luck < 0.9 ? 'block' : 'review';
  if (score < 40) return luck < 0.02 ? 'block' : 'allow';
  return luck < 0.5 ? 'review' : 'step_up';
}

/** Each recorded session `times - 1` times more, with its outcomes and counts; copies are milliseconds older. */
export async function copyReported(database: Database, times: number): Promise<void> {
  const deadlineMs = 1_800_000;
  const run = (sql: string, values: readonly number[] = []) => database.query(sql, values, { deadlineMs });
  const copies = 'generate_series(1, $1::int - 1) AS copy';
  const own = (columns: string, from: string): string =>
    `SELECT (jsonb_populate_record(o, jsonb_build_object(${columns}))).* FROM ${from} o, ${copies}`;
  const session = `'session_ref', o.session_ref || '-' || copy`;
  const scored = `${session}, 'receipt_id', o.receipt_id || '-' || copy, 'scored_at', o.scored_at - make_interval(secs => copy / 1000.0)`;
  await run(
    `INSERT INTO outcomes (namespace, session_ref, type, occurred_at, target, reason_class, respondent_ref)
    SELECT namespace, session_ref || '-' || copy, type, occurred_at, target, reason_class, respondent_ref FROM outcomes, ${copies}`,
    [times],
  );
  await run(`INSERT INTO adjudications ${own(session, 'adjudications')}`, [times]);
  await run(`INSERT INTO scored_sessions ${own(scored, 'scored_sessions')}`, [times]);
  await run(`INSERT INTO session_index ${own(scored, 'session_index')}`, [times]);
  await run(
    `INSERT INTO receipts (receipt_id, scored_at, organization_id, namespace, session_ref, subjects, respondent_known, record, seal, batch_seq, salt)
    SELECT r.receipt_id || '-' || copy, r.scored_at - make_interval(secs => copy / 1000.0), r.organization_id, r.namespace,
      r.session_ref || '-' || copy, r.subjects, r.respondent_known, r.record, r.seal, r.batch_seq, r.salt
    FROM receipts r JOIN (SELECT DISTINCT receipt_id, scored_at FROM scored_sessions WHERE receipt_id !~ '-') AS latest USING (receipt_id, scored_at), ${copies}`,
    [times],
  );
  await run('UPDATE score_distribution SET sessions = sessions * $1, independence = independence * $1', [times]);
  await run('ANALYZE');
}
