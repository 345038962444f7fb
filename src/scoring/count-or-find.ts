/**
 * Asks the counters for what they count of a call, or for the receipt that an identical one got. Nothing fails because the counters are away or
 * late.
 */
import { storeUnavailable } from '../errors.js';
import type { Counters, ScoreCountInput, ScoreCountResult } from '../stores/counters/port.js';
import type { Namespace } from '../stores/counters/namespace.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { withoutCounters } from '../telemetry/without-counters.js';
import { late, type Deadline, type Late } from './deadline.js';
import type { LateAnswers } from './late-answers.js';
import type { FoundReceipt } from './receipts/find-receipt.js';
import { noteStage } from './stages.js';

export interface CountDeps {
  readonly counters: Pick<Counters, 'countScore'>;
  /** A receipt that the counters have let go of; see `findReleased`. */
  readonly findReleased: (namespace: Namespace, receiptId: string) => Promise<FoundReceipt | null>;
  readonly lateAnswers: LateAnswers;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

type CountedOrFound =
  | Extract<ScoreCountResult, { readonly kind: 'limited' | 'conflict' | 'counted' }>
  | { readonly kind: 'replayed'; readonly recorded: FoundReceipt };

/**
 * null: the counters are away. `late`: the call is to be answered under its own receipt, whatever is counted in the end. A retry whose receipt the
 * counters have let go of is answered from the database; while that is away it is a 503, and never another verdict.
 */
export async function countOrFind(
  deps: CountDeps,
  input: ScoreCountInput,
  deadline: Deadline,
): Promise<CountedOrFound | Late | null> {
  const { lateAnswers } = deps;
  const counting = deps.counters.countScore(input);
  const counted = await count(deps, input, deadline.within(counting));
  if (counted === null || counted === late || counted.kind === 'replayed' || counted.kind === 'released') {
    const content = lateAnswers.find(input);
    if (content !== null) return { kind: 'replayed', recorded: { content, counted: null } };
    if (counted === null) return null;
  } else if (counted.kind === 'counted') lateAnswers.forget(input);
  if (counted === late) {
    lateAnswers.note(input, counting);
    return late;
  }
  if (counted.kind === 'replayed')
    return { kind: 'replayed', recorded: { content: counted.recorded.content, counted: counted.recorded } };
  return counted.kind === 'released' ? findOrRecount(deps, input, { receiptId: counted.receiptId, deadline }) : counted;
}

async function findOrRecount(
  deps: CountDeps,
  input: ScoreCountInput,
  { receiptId, deadline }: { readonly receiptId: string; readonly deadline: Deadline },
): ReturnType<typeof countOrFind> {
  if (input.gone !== undefined) throw storeUnavailable(`counters: ${receiptId} took the place of ${input.gone}`);
  const recorded = await deps.findReleased(input.namespace, receiptId);
  if (recorded !== null) return { kind: 'replayed', recorded };
  deps.logger.warn(
    { receiptId },
    'the receipt of a retried score is missing or invalid; the retry counts as a new score',
  );
  return countOrFind(deps, { ...input, limits: [], gone: receiptId }, deadline);
}

/** null where the counters store is away. */
async function count(
  { metrics, logger }: CountDeps,
  { receiptId }: ScoreCountInput,
  counting: Promise<ScoreCountResult | Late>,
): Promise<ScoreCountResult | Late | null> {
  const fromMs = performance.now();
  try {
    return await counting;
  } catch (error) {
    return withoutCounters(metrics, (internal) => logger.warn({ receiptId, internal }, 'scoring without counters'))(
      error,
    );
  } finally {
    noteStage(metrics, 'count', fromMs);
  }
}
