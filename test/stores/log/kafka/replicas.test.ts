import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import kafkajs, { Kafka, logLevel, type Admin } from 'kafkajs';
import t from 'tap';
import { openKafkaLog } from '../../../../src/stores/log/kafka/log.js';
import {
  addReplicas,
  countMissing,
  endMark,
  planReplicas,
  reassign,
} from '../../../../src/stores/log/kafka/replicas.js';
import { createLogger } from '../../../../src/telemetry/logger.js';
import { findStack } from '../../../helpers/stores.js';
import { waitUntil } from '../../../helpers/wait-until.js';

const alone = (count: number, broker = 1) =>
  Array.from({ length: count }, (_, partition) => ({ topic: 'scores', partition, replicas: [broker] }));

t.test('what was made on one broker goes on all three once they are back, a few partitions at a time', (t) => {
  const brokers = [1, 2, 3];
  let partitions = alone(8);
  t.equal(countMissing(partitions, brokers), 16);
  const rounds: number[] = [];
  while (countMissing(partitions, brokers) > 0) {
    const plan = planReplicas(partitions, brokers);
    rounds.push(plan.length);
    partitions = partitions.map((each) => {
      const planned = plan.find(({ partition }) => partition === each.partition);
      return planned === undefined ? each : { ...each, replicas: [...planned.replicas] };
    });
  }
  t.same(rounds, [6, 2]);
  for (const { replicas } of partitions) {
    t.equal(replicas[0], 1, 'who leads goes on leading');
    t.same([...replicas].sort(), [1, 2, 3]);
  }
  t.end();
});

t.test('new replicas are spread over the brokers', (t) => {
  const plan = planReplicas(alone(6), [1, 2, 3, 4, 5]);
  const loads = [2, 3, 4, 5].map((broker) => plan.filter(({ replicas }) => replicas.includes(broker)).length);
  t.same(loads, [3, 3, 3, 3]);
  t.end();
});

t.test('nothing is planned for what has its replicas, nor where one of them is away', (t) => {
  t.same(planReplicas(alone(3), [1]), [], 'one broker holds one replica');
  t.same(planReplicas([{ topic: 'scores', partition: 0, replicas: [3, 1, 2] }], [1, 2, 3, 4]), []);
  t.same(planReplicas(alone(3, 9), [1, 2, 3]), [], 'the only replica is away');
  t.end();
});

t.test(
  'a plan never takes a replica away, names no broker twice or that is not there, and asks for three at most',
  (t) => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 7 });
    const replicas = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 });
    const isSound = (brokers: readonly number[], held: readonly (readonly number[])[]): boolean => {
      const plan = planReplicas(
        held.map((each, partition) => ({ topic: 'scores', partition, replicas: each })),
        brokers,
      );
      return (
        plan.length <= 6 &&
        plan.every(
          ({ partition, replicas: planned }) =>
            held[partition]?.every((id, at) => planned[at] === id) === true &&
            new Set(planned).size === planned.length &&
            planned.every((id) => brokers.includes(id)) &&
            planned.length === Math.min(3, brokers.length),
        )
      );
    };
    t.doesNotThrow(() => fc.assert(fc.property(ids, fc.array(replicas, { maxLength: 20 }), isSound)));
    t.end();
  },
);

const stack = findStack(t, 'replicas of topics in Kafka');
if (stack !== null) {
  const logger = createLogger('silent');
  const ownSettings = async (admin: Admin, name: string): Promise<Record<string, string>> => {
    const { resources } = await admin.describeConfigs({
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }],
      includeSynonyms: false,
    });
    const entries = resources[0]?.configEntries ?? [];
    return Object.fromEntries(
      entries
        .filter(({ configSource }) => Number(configSource) === 1)
        .map(({ configName, configValue }) => [configName, configValue]),
    );
  };

  t.test(
    'a topic made on fewer than three brokers is marked and watched; one made by hand is left alone',
    async (t) => {
      const prefix = `test-${randomUUID()}.`;
      const admin = new Kafka({ brokers: [stack.kafkaBrokers], logLevel: logLevel.NOTHING }).admin();
      t.teardown(() => admin.disconnect());
      await admin.connect();
      const told: number[] = [];
      const log = await openKafkaLog({
        ...{ brokers: [stack.kafkaBrokers], clientId: 'verifyhuman-test', logger, prefix, openWaitMs: 60_000 },
        onMissingReplicas: (missing) => told.push(missing),
      });
      t.teardown(() => log.close());
      await waitUntil(() => told.length > 0, 'a round at the start', 60_000);
      t.same(told, [0], 'one broker holds all that it can');
      const name = `${prefix}scores`;
      const before = await ownSettings(admin, name);
      t.match(before, { 'min.insync.replicas': '1', 'retention.bytes': '-1' });

      await reassign(admin, [{ topic: name, partition: 0, replicas: [1] }]);
      const [topic] = (await admin.fetchTopicMetadata({ topics: [name] })).topics;
      t.same(topic?.partitions.find(({ partitionId }) => partitionId === 0)?.replicas, [1], 'the cluster takes a plan');

      await endMark(
        admin,
        name,
        Object.entries(before).map(([key, value]) => ({ name: key, value })),
      );
      // A broker answers what it has heard of the change, which comes to it a moment later.
      const isHeard = async (): Promise<boolean> => (await ownSettings(admin, name))['min.insync.replicas'] === '2';
      await waitUntil(isHeard, 'the broker knows of the change');
      t.same(await ownSettings(admin, name), { ...before, 'min.insync.replicas': '2' }, 'no other setting is lost');

      const byHand = `${prefix}by-hand`;
      await admin.createTopics({ topics: [{ topic: byHand, numPartitions: 1 }], waitForLeaders: true });
      t.equal(await addReplicas(admin, [byHand], logger), 0);
      t.same(await ownSettings(admin, byHand), {});
    },
  );
}
