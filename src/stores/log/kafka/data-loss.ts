/**
 * Notices that a group of Kafka was set to a later offset than it had read up to. kafkajs does so by itself where the entries in between are
 * gone, and says nothing. What the group had read is asked for when the member joins, and followed from then on.
 */
import { settleWithin } from '../../settle-within.js';
import type { KafkaClient } from './client.js';

export interface KafkaLossesDeps {
  readonly client: KafkaClient;
  readonly topicName: string;
  readonly groupId: string;
  /** Told how many entries of a partition were passed over. */
  readonly onLost: (entries: number) => void;
}

export interface KafkaLosses {
  /** The member joined: reads where its group stands. Nothing may be fetched until it resolves, since kafkajs then forgets where that was. */
  joined(): Promise<void>;
  /** A batch was fetched that begins at this offset. */
  fetched(partition: number, firstOffset: string): void;
  /** Everything up to and including this offset is read. */
  committed(partition: number, offset: string): void;
}

const deadlineMs = 5_000;

export function createKafkaLosses({ client, topicName, groupId, onLost }: KafkaLossesDeps): KafkaLosses {
  let standing = new Map<number, number>();

  const readStanding = async (): Promise<Map<number, number>> => {
    const admin = client.kafka.admin({ retry: { retries: 1 } });
    try {
      await admin.connect();
      const [read] = await admin.fetchOffsets({ groupId, topics: [topicName] });
      const offsets = read?.partitions.map(({ partition, offset }) => [partition, Number(offset)] as const) ?? [];
      // -1: the group has never read of the partition, and begins with the oldest entry.
      return new Map(offsets.filter(([, offset]) => offset >= 0));
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };

  return {
    async joined() {
      standing.clear();
      // Not knowing costs the notice of a loss, and is no reason not to read.
      standing = await settleWithin(readStanding(), deadlineMs, 'kafka').catch(() => new Map<number, number>());
    },
    fetched(partition, firstOffset) {
      const expected = standing.get(partition);
      const first = Number(firstOffset);
      if (expected === undefined || first <= expected) return;
      standing.set(partition, first);
      onLost(first - expected);
    },
    committed: (partition, offset) => void standing.set(partition, Number(offset) + 1),
  };
}
