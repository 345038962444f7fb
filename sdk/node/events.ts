/**
 * Posts outcomes in bulk: batches of 1,000, a few requests at once, and the answers added up. It holds only running requests in memory: the
 * source is read only as fast as the service takes it. Stops at the first request that fails for good, and throws if no event was accepted.
 */
import type { EventsOptions, EventsSummary, Issue, OutcomeEvent } from './api.js';
import { invalidOption, VerifyHumanError, type ClientErrorCode } from './errors.js';
import { checkNames, wholeNumber, type Names } from './settings.js';
import type { Call } from './transport.js';

const batchMax = 1_000;
const issuesMax = 1_000;
const times = { deadlineMs: 60_000, attemptMs: 20_000 };

const names = { deadlineMs: true, signal: true, concurrency: true } as const satisfies Names<EventsOptions>;

interface Batch {
  /** Index of its first event among all. */
  readonly start: number;
  readonly events: readonly OutcomeEvent[];
}

export async function postEvents(
  call: Call,
  source: Iterable<OutcomeEvent> | AsyncIterable<OutcomeEvent>,
  options: EventsOptions,
): Promise<EventsSummary> {
  checkNames('events', options, names);
  checkList(source);
  const concurrency = wholeNumber('concurrency', options.concurrency ?? 4, 1, 16);
  const batches = batchesOf(source);
  const failures: unknown[] = [];
  let summary: EventsSummary = {
    received: 0,
    accepted: 0,
    corrected: 0,
    duplicates: 0,
    rejected: 0,
    unmatched: null,
    issues: [],
  };
  const work = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = await batches.next();
      if (next.done === true) return;
      const reply = await postBatch(call, next.value, options);
      summary = add(summary, reply, next.value.start);
    }
  };
  const worker = () => work().catch((error: unknown) => void failures.push(error));
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length === 0) return requireAccepted(summary);
  await batches.return();
  const [failure] = failures;
  if (failure instanceof VerifyHumanError) failure.posted = summary;
  throw failure;
}

/** A caller who does not look at the sum would lose all its events without notice. */
function requireAccepted(summary: EventsSummary): EventsSummary {
  const { received, rejected, issues } = summary;
  if (received === 0 || rejected < received) return summary;
  const [first] = issues;
  const reason = first === undefined ? 'the service could not store them.' : `${first.path} ${first.message}`;
  const subject = received === 1 ? 'The only event was rejected:' : `All ${received} events were rejected. The first:`;
  const error = new VerifyHumanError('EVENTS_REJECTED' satisfies ClientErrorCode, `${subject} ${reason}`, { issues });
  error.posted = summary;
  throw error;
}

function checkList(source: unknown): void {
  const isList =
    typeof source === 'object' && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source);
  if (!isList) throw invalidOption('events takes a list of events, or an iterable of them: put a single one in [ ].');
}

async function* batchesOf(
  source: Iterable<OutcomeEvent> | AsyncIterable<OutcomeEvent>,
): AsyncGenerator<Batch, void, void> {
  let start = 0;
  let events: OutcomeEvent[] = [];
  for await (const event of source) {
    events.push(event);
    if (events.length < batchMax) continue;
    yield { start, events };
    start += events.length;
    events = [];
  }
  if (events.length > 0) yield { start, events };
}

type BatchReply = Partial<EventsSummary>;

/** A batch of which every event is malformed is refused as a whole; to the sum it is as many rejected events as any other. */
async function postBatch(call: Call, { events }: Batch, options: EventsOptions): Promise<BatchReply> {
  try {
    return await call({ path: '/lite/events', body: { events }, times }, options);
  } catch (error) {
    const isOfEvents =
      error instanceof VerifyHumanError &&
      error.code === 'VALIDATION_FAILED' &&
      error.issues.length > 0 &&
      error.issues.every(({ path }) => eventPath.test(path));
    if (!isOfEvents) throw error;
    return { received: events.length, rejected: events.length, issues: error.issues };
  }
}

const eventPath = /^\/events\/(\d+)/;

function add(sum: EventsSummary, reply: BatchReply, start: number): EventsSummary {
  const issues = (reply.issues ?? []).map(({ path, message }): Issue => {
    return { path: path.replace(eventPath, (_, index: string) => `/events/${start + Number(index)}`), message };
  });
  return {
    received: sum.received + (reply.received ?? 0),
    accepted: sum.accepted + (reply.accepted ?? 0),
    corrected: sum.corrected + (reply.corrected ?? 0),
    duplicates: sum.duplicates + (reply.duplicates ?? 0),
    rejected: sum.rejected + (reply.rejected ?? 0),
    unmatched: typeof reply.unmatched === 'number' ? (sum.unmatched ?? 0) + reply.unmatched : sum.unmatched,
    issues: [...sum.issues, ...issues].slice(0, issuesMax),
  };
}
