/**
 * Lets readers of Kafka wait long for a first record and briefly for more, where kafkajs asks with one wait and one size for good.
 *
 *   quiet ──a record comes, told at once──▶ filling: fetches that wait for more, as the consumer is set ──nothing came──▶ quiet
 *
 * A reader that waits 100 ms at a time asks ten times a second for nothing, and each answer is a turn of the event loop in which kafkajs takes every empty partition
 * through its workers. While partitions are in hand, fetches stay short: a partition that is done is asked for again with the next one. A
 * wait ends with the reader, which kafkajs would have last until the broker answers.
 */
import { createRequire } from 'node:module';

/** As much of kafkajs’s classes as is needed here. */
export interface FetchedBatch {
  readonly rawMessages: readonly unknown[];
}
export interface FetchingGroup {
  maxWaitTime: number;
  minBytes: number;
  /** Topics of which partitions are paused. */
  paused(): readonly object[];
  fetch(nodeId: number): Promise<readonly FetchedBatch[]>;
}
interface GroupRunner {
  readonly consumerGroup: FetchingGroup;
  stop(): Promise<void>;
}

interface Patience {
  /** How a batch fills up, as the consumer is set. */
  readonly filling: { readonly maxWaitTime: number; readonly minBytes: number };
  /** Brokers whose last fetch brought nothing. */
  readonly quiet: Set<number>;
  /** Each ends a fetch under way. */
  readonly ends: Set<() => void>;
}

/** Short enough for signs of life between two fetches, which are due five times a session. */
const quietWaitMs = 1_000;

const patience = new WeakMap<FetchingGroup, Patience>();
let isSetUp = false;

/** Changes kafkajs’s classes; the second time nothing. */
export function waitPatiently(): void {
  if (isSetUp) return;
  isSetUp = true;
  const load = createRequire(import.meta.url);
  const { prototype: group } = load('kafkajs/src/consumer/consumerGroup.js') as { readonly prototype: FetchingGroup };
  const { prototype: runner } = load('kafkajs/src/consumer/runner.js') as { readonly prototype: GroupRunner };
  const { fetch } = group;
  const { stop } = runner;
  group.fetch = function (nodeId) {
    return fetchPatiently(this, nodeId, () => fetch.call(this, nodeId));
  };
  runner.stop = function () {
    const stopped = stop.call(this);
    for (const end of patience.get(this.consumerGroup)?.ends ?? []) end();
    return stopped;
  };
}

function patienceOf(group: FetchingGroup): Patience {
  let found = patience.get(group);
  if (found === undefined) {
    const { maxWaitTime, minBytes } = group;
    found = { filling: { maxWaitTime, minBytes }, quiet: new Set(), ends: new Set() };
    patience.set(group, found);
  }
  return found;
}

export type Fetch = () => Promise<readonly FetchedBatch[]>;

/** One round of a reader at one broker: what came, and nothing once the reader stops. `fetch` asks with the wait and size that the group has then. */
export async function fetchPatiently(
  group: FetchingGroup,
  nodeId: number,
  fetch: Fetch,
): Promise<readonly FetchedBatch[]> {
  const { filling, quiet, ends } = patienceOf(group);
  let isEnded = false;
  /** Without the partitions that brought nothing, each of which kafkajs would hand around. */
  const fetchWhatCame: Fetch = () =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        isEnded = true;
        resolve([]);
      };
      ends.add(end);
      fetch()
        .then((batches) => resolve(batches.filter(({ rawMessages }) => rawMessages.length > 0)), reject)
        .finally(() => ends.delete(end));
    });
  if (quiet.has(nodeId) && group.paused().length === 0) {
    Object.assign(group, { maxWaitTime: Math.max(filling.maxWaitTime, quietWaitMs), minBytes: 1 });
    const first = await fetchWhatCame();
    // Where batches are to fill up, the first record waits for others: it comes again with them.
    if (first.length === 0 || isEnded || filling.minBytes <= 1) return keep(first);
  }
  Object.assign(group, filling);
  return keep(await fetchWhatCame());

  function keep(batches: readonly FetchedBatch[]): readonly FetchedBatch[] {
    if (batches.length === 0) quiet.add(nodeId);
    else quiet.delete(nodeId);
    return batches;
  }
}
