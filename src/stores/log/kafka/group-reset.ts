/**
 * Sets the groups that record the log back to a time, after the database was restored: they read everything since then again. Rejects if a
 * group has running consumers, and may be repeated.
 */
import { createKafkaAdmin, createKafkaClient, type KafkaConnection } from './client.js';
import { recordingGroups } from '../port.js';

export interface GroupReset extends KafkaConnection {
  /** Goes before the names of topics and groups. */
  readonly prefix: string;
  readonly at: Date;
}

/** Each group is joined for a moment, and the broker waits for other members. */
const deadlineMs = 30_000;

/** Answers the names of the groups. */
export async function resetGroups({ prefix, at, ...connection }: GroupReset): Promise<readonly string[]> {
  const admin = createKafkaAdmin(() => createKafkaClient(connection));
  try {
    const names: string[] = [];
    for (const [topicName, group] of Object.values(recordingGroups)) {
      const topic = `${prefix}${topicName}`;
      const groupId = `${topic}.${group}`;
      await admin.request(async (connected) => {
        const partitions = await connected.fetchTopicOffsetsByTimestamp(topic, at.getTime());
        await connected.setOffsets({ groupId, topic, partitions });
      }, deadlineMs);
      names.push(groupId);
    }
    return names;
  } finally {
    admin.close();
  }
}
