/**
 * Server-side scoring, shell around the pure core: read, gather, count, judge, record, reply. Two or three round trips to the counters
 * store and none to the database. With the counters away, or later than the caller’s deadline, the score is answered from what is left, and
 * says so; a receipt that cannot be made durable is a 503, never an answer without a receipt.
 */
import { LRUCache } from 'lru-cache';
import { rateLimited, scoringDisabled } from '../kernel/faults.js';
import type { DataOwner } from '../kernel/caller.js';
import type { Ref, ScoreFacts } from '../contract/facts.js';
import type { PoolResults } from '../contract/pool.js';
import type { ScoreInput, ScoreRequest } from '../contract/score.js';
import { makeId } from '../crypto/ids.js';
import type { BatchSigner } from '../crypto/batch-signer.js';
import { Fault } from '../errors.js';
import type { Pool } from '../pool/pool.js';
import { assembleFacts } from '../record/assemble-facts.js';
import { joinParts } from '../record/codec.js';
import { openBase, packBase, packCounted } from '../record/record.js';
import type { Counted, ScoreBase } from '../record/types.js';
import type { Counters, RateLimit } from '../stores/counters/port.js';
import { namespaceOf } from '../stores/counters/namespace.js';
import type { Log } from '../stores/log/port.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { countInputOf, gatherScore, underReceipt, type GatherDeps } from './gather.js';
import { fixedFactsOf, isFixedSession } from './fixed-sessions/fixed-sessions.js';
import { appendReceipt } from './receipts/receipts.js';
import type { ProbeWatch } from './probe/probe-watch.js';
import { noteRequest, readScoreRequest } from './score-request.js';
import { countOrFind, type CountDeps } from './count-or-find.js';
import { late, startDeadline, type Deadline } from './deadline.js';
import { createLateAnswers } from './late-answers.js';
import { noteStage } from './stages.js';
import { underOtherRules } from './receipts/find-receipt.js';
import type { CounterRecovery } from './recovery/counter-recovery.js';

export interface ScoreServiceDeps extends GatherDeps {
  readonly counters: Counters;
  readonly findReleased: CountDeps['findReleased'];
  readonly log: Log;
  readonly pool: Pick<Pool, 'run'>;
  /** The core’s judgement, on the calling thread. */
  readonly judgeScore: (facts: ScoreFacts, replayed: boolean) => PoolResults['score'];
  readonly signer: BatchSigner;
  readonly counterRecovery: CounterRecovery;
  readonly watch: ProbeWatch;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Finds the sessions among those found alike that the scored one does not repeat, and those that are known to be repeats themselves. */
export type ClassifySessions = (
  sessions: readonly Ref[],
) => Promise<Record<'unrepeatable' | 'repeats', readonly Ref[]>>;

export interface ScoreOptions {
  /** The header Idempotency-Key: the same key and body answer the same receipt, also after a new message of the probe. */
  readonly idempotencyKey?: string | null;
  /** Limits that the call is taken off as it is counted; none by default. */
  readonly rateLimits?: readonly RateLimit[];
  /** Classifies the sessions found alike. With it, no call is answered by an earlier one, because their part may have changed since. */
  readonly classifySessions?: ClassifySessions;
  /** Called with the sessions that the scored one is a likely repeat of. */
  readonly onRepeated?: ((sessions: readonly Ref[]) => void) | undefined;
  /** Called once the call goes to the counters, which take it off the key’s limits. */
  readonly onCounted?: () => void;
}

export type ScoreService = ReturnType<typeof createScoreService>;

export function createScoreService(deps: ScoreServiceDeps) {
  const requireEnabled = createEnabledCheck(deps);
  const countDeps = { ...deps, lateAnswers: createLateAnswers(deps.counters) };

  /** Answers the reply as JSON text, for an organization with scoring. A fixed session of a test or demo key is answered from its recorded facts, without a count and without a receipt. */
  async function scoreEnabled(owner: DataOwner, body: ScoreRequest, options: ScoreOptions = {}): Promise<string> {
    const gatherFromMs = performance.now();
    const { request, address, unknownNames } = readScoreRequest(body, owner.isTest);
    const fixed = fixedFactsOf(owner, request.sessionId, deps.now());
    if (fixed !== null) return deps.judgeScore(fixed, false).reply;
    const probeElsewhere = deps.watch.findElsewhere(request.clientIp, {
      projectId: owner.projectId,
      sessionId: request.sessionId,
    });
    const notes = noteRequest(unknownNames, request, {
      probeElsewhere,
      isFixedSession: isFixedSession(request.sessionId),
    });
    const deadline = startDeadline(body.deadlineMs ?? null);
    try {
      const gathered = await gatherScore(deps, owner, { request, address, notes, deadline });
      noteStage(deps.metrics, 'gather', gatherFromMs);
      return await countAndConclude(gathered, { request, options, deadline });
    } finally {
      deadline.end();
    }
  }

  async function countAndConclude(
    { base, signature }: Awaited<ReturnType<typeof gatherScore>>,
    { request, options, deadline }: Call,
  ): Promise<string> {
    const packed = packBase(base);
    const namespace = base.owner.projectId === null ? null : namespaceOf(base.owner);
    if (namespace !== null) await deadline.within(deps.counterRecovery.check(namespace));
    options.onCounted?.();
    const counted = await countOrFind(
      countDeps,
      countInputOf({
        ...{ base, content: packed, request, signature, makeRef: deps.makeRef },
        limits: options.rateLimits ?? [],
        idempotencyKey: options.idempotencyKey ?? null,
        isUnique: options.classifySessions !== undefined,
      }),
      deadline,
    );
    if (counted === late) return conclude(deps, base, null, { packed });
    // A store that did not answer in time may have counted all the same, and has the receipt with what it counted then: an identical retry gets that one.
    if (counted === null) return conclude(deps, underReceipt(base, makeId('receipt')), null);
    if (counted.kind === 'conflict') throw idempotencyConflict();
    if (counted.kind === 'limited') throw rateLimited('This key', counted.rate);
    if (counted.kind !== 'replayed') {
      if (counted.complete === false && namespace !== null) deps.counterRecovery.markIncomplete(namespace);
      return conclude(deps, base, await classify(deps, base, counted, options), {
        packed,
        onRepeated: options.onRepeated,
      });
    }
    deps.metrics.scoreReplays.inc();
    const first = openBase(counted.recorded.content);
    const rescored = underOtherRules(first, counted.recorded.counted, deps.modelVersion);
    return rescored === null
      ? conclude(deps, first, counted.recorded.counted, { replayed: true })
      : conclude(deps, rescored.base, rescored.counted);
  }

  return {
    requireEnabled,
    scoreEnabled,
    /** The same for any organization; throws as requireEnabled does. */
    score: async (owner: DataOwner, body: ScoreRequest, options?: ScoreOptions): Promise<string> => {
      await requireEnabled(owner.organizationId);
      return scoreEnabled(owner, body, options);
    },
  };
}

interface Call {
  readonly request: ScoreInput;
  readonly options: ScoreOptions;
  readonly deadline: Deadline;
}

/** `packed`: the base, if it is at hand. */
interface Conclusion extends Pick<ScoreOptions, 'onRepeated'> {
  readonly packed?: Uint8Array;
  readonly replayed?: boolean;
}

/** From the facts to the reply, by way of the judgement and the receipt. */
async function conclude(
  deps: ScoreServiceDeps,
  base: ScoreBase,
  counted: Counted | null,
  { packed = packBase(base), replayed = false, onRepeated }: Conclusion = {},
): Promise<string> {
  const facts = [packed, packCounted(counted)] as const;
  const judgeFromMs = performance.now();
  const { repeated, outcome, ...judged } = await judge(deps, { base, counted, facts, replayed });
  onRepeated?.(repeated);
  noteStage(deps.metrics, 'judge', judgeFromMs);
  const { receiptId } = base.owner;
  return answer(deps, { ...judged, receiptId, record: joinParts(...facts, outcome), source: sourceOf(base) });
}

/** Facts of more than this are many pages of the probe, or many sessions to be compared with: judging them would hold up everybody else’s calls. */
const hereBytesMax = 8_192;

interface Judged {
  readonly base: ScoreBase;
  /** null if the counters did not answer. */
  readonly counted: Counted | null;
  /** The two, packed. */
  readonly facts: readonly [Uint8Array, Uint8Array];
  /** Whether the reply is that of an earlier call. */
  readonly replayed: boolean;
}

/** In the pool if a batch of scores goes there or if the facts are large, else on this thread. The decision is the same in both places. */
function judge(
  { pool, judgeScore }: Pick<ScoreServiceDeps, 'pool' | 'judgeScore'>,
  { base, counted, facts, replayed }: Judged,
): Promise<PoolResults['score']> {
  const here = () => judgeScore(assembleFacts(base, counted), replayed);
  const isLarge = facts[0].length + facts[1].length > hereBytesMax;
  return pool.run({ kind: 'score', facts, replayed }, isLarge ? undefined : here);
}

interface Concluded {
  readonly receiptId: string;
  readonly record: Uint8Array;
  readonly reply: string;
  readonly degraded: readonly string[];
  readonly recommendation: string;
  /** By which it is counted; null where it is not. */
  readonly source: string | null;
}

/**
 * Answers when the receipt is durable. Only what is needed then is in hand meanwhile: with the facts as well, they would outlive two collections
 * of young garbage, and be copied by both.
 */
async function answer({ log, signer, metrics }: ScoreServiceDeps, concluded: Concluded): Promise<string> {
  const fromMs = performance.now();
  await appendReceipt(log, signer, concluded);
  noteStage(metrics, 'receipt', fromMs);
  const { source, recommendation } = concluded;
  metrics.scores.inc({ recommendation });
  if (source !== null) metrics.scoresBySource.inc({ source: metrics.sourceLabel(source), recommendation });
  for (const signal of concluded.degraded) metrics.degraded.inc({ signal });
  return concluded.reply;
}

/** Test and demo keys count nothing by source: anyone can create demo keys, and the labels are bounded. */
function sourceOf({ owner, sourceId }: ScoreBase): string | null {
  if (owner.isTest === true || owner.isDemo === true || sourceId === null) return null;
  return `${owner.projectId ?? ''}/${sourceId}`;
}

/** How often the log repeats that an organization has no scoring. */
const disabledWarningMs = 600_000;

/** Throws NOT_FOUND for an organization without scoring. The log names the command that enables it, once in a while for each organization. */
function createEnabledCheck({ subjects, logger, now }: Pick<ScoreServiceDeps, 'subjects' | 'logger' | 'now'>) {
  const warnedAtMs = new LRUCache<string, number>({ max: 1_000 });
  return async (organizationId: string): Promise<void> => {
    if (await subjects.liteEnabled(organizationId)) return;
    if (now() - (warnedAtMs.get(organizationId) ?? -Infinity) >= disabledWarningMs) {
      warnedAtMs.set(organizationId, now());
      logger.warn(
        { organizationId, command: `npm run admin -- enable-lite --org ${organizationId}` },
        'score refused because scoring is disabled; run the command to enable it',
      );
    }
    throw scoringDisabled(organizationId);
  };
}

/** Takes sessions that nobody repeats out of the counts, and marks repeats. The receipt of the counters, which has them as they were, is forgotten: the log’s is the only one. */
async function classify(
  { counters }: Pick<ScoreServiceDeps, 'counters'>,
  { owner }: ScoreBase,
  counted: Counted,
  { classifySessions }: ScoreOptions,
): Promise<Counted> {
  const { candidates } = counted.counts;
  if (classifySessions === undefined || candidates.length === 0) return counted;
  const { unrepeatable, repeats } = await classifySessions(candidates.map(({ session }) => session));
  if (unrepeatable.length === 0 && repeats.length === 0) return counted;
  await counters.forgetReceipts(namespaceOf(owner), [owner.receiptId]).catch(() => undefined);
  return {
    ...counted,
    counts: {
      ...counted.counts,
      candidates: candidates
        .filter(({ session }) => !unrepeatable.includes(session))
        .map((one) => (repeats.includes(one.session) ? { ...one, isRepeat: true } : one)),
    },
  };
}

function idempotencyConflict(): Fault {
  return new Fault(
    'CONFLICT',
    'This Idempotency-Key was used with another body within 24 hours. Send the same body, or a new key.',
  );
}
