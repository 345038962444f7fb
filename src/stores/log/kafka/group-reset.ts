/**
 * Sets the groups that record the log back to a time, after the database was restored: they read everything since then again. Rejects if a
 * group has running consumers, and may be repeated.
 */
import { createKafkaAdmin, createKafkaClient, type KafkaConnection } from './client.js';
import { groupIdOf } from './topics.js';
import { recordingGroups, type Topic } from '../port.js';

export interface GroupReset extends KafkaConnection {
  /** Goes before the names of topics and groups. */
  readonly prefix: string;
  readonly at: Date;
}

/** Each group is joined for a moment, and the broker waits for other members. */
const deadlineMs = 30_000;

/** Answers the names of the groups. */
export async function resetGroups({ prefix, at, ...connection }: GroupReset): Promise<readonly string[]> {
  const resetOne = async ([topicName, group]: readonly [Topic, string]): Promise<string> => {
    const topic = `${prefix}${topicName}`;
    const groupId = groupIdOf(topic, group);
    const admin = createKafkaAdmin(() => createKafkaClient(connection));
    const reset = admin.request(async (connected) => {
      const partitions = await connected.fetchTopicOffsetsByTimestamp(topic, at.getTime());
      await connected.setOffsets({ groupId, topic, partitions });
    }, deadlineMs);
    await reset.finally(() => admin.close());
    return groupId;
  };
  // All of them have left their groups before the command fails, so that its repetition finds none running.
  const resets = await Promise.allSettled(Object.values(recordingGroups).map(resetOne));
  return resets.map((reset) => {
    if (reset.status === 'rejected') throw reset.reason;
    return reset.value;
  });
}
