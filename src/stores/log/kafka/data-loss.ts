/**
 * Detects entries that Kafka deleted before the group read them. kafkajs then goes on with the oldest entry that is left, without a word.
 * The committed offsets are read when the member joins, and followed from then on.
 */
import type { PartitionProgress } from '../port.js';

export interface DataLossDetector {
  /** The member joined. Nothing may be fetched until it resolves: a fetch may overwrite the committed offsets. */
  joined(): Promise<void>;
  /** A batch was fetched that begins at this offset. */
  fetched(partition: number, firstOffset: string): void;
  /** Everything up to and including this offset is read. */
  committed(partition: number, offset: string): void;
}

/** `onLost` receives the number of entries of a partition that were skipped. */
export function createDataLossDetector(
  readProgress: () => Promise<readonly PartitionProgress[]>,
  onLost: (entries: number) => void,
): DataLossDetector {
  let expected = new Map<number, number>();
  return {
    async joined() {
      expected = new Map();
      // The first question may find a connection that broke. Without an answer a loss goes unnoticed, which is no reason not to read.
      const progress = await readProgress()
        .catch(readProgress)
        .catch(() => []);
      expected = new Map(progress.map(({ partition, next }) => [partition, next]));
    },
    fetched(partition, firstOffset) {
      const first = Number(firstOffset);
      const next = expected.get(partition) ?? first;
      if (first <= next) return;
      expected.set(partition, first);
      onLost(first - next);
    },
    committed: (partition, offset) => void expected.set(partition, Number(offset) + 1),
  };
}
