import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Fault } from '../../../../src/errors.js';
import { resetGroups } from '../../../../src/stores/log/kafka/group-reset.js';
import { openKafkaLog } from '../../../../src/stores/log/kafka/log.js';
import { createLogger } from '../../../../src/telemetry/logger.js';
import { findStack } from '../../../helpers/stores.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, gather, textOf } from '../contract.js';

const stack = findStack(t, 'a reset of consumer groups');
t.setTimeout(120_000);

if (stack !== null)
  t.test('a stopped group reads again from the time of the reset on, and a running one is refused', async (t) => {
    const prefix = `test-${randomUUID()}.`;
    const connection = { brokers: [stack.kafkaBrokers], clientId: 'test', logger: createLogger('silent'), prefix };
    const log = await openKafkaLog({ ...connection, openWaitMs: 90_000 });
    t.teardown(() => log.close());
    await log.append('scores', [entry('k', 'before')]);
    const at = new Date();
    await waitUntil(() => Date.now() > at.getTime(), 'the broker’s next millisecond');
    await log.append('scores', [entry('k', 'after')]);
    const first = await gather(log, 'scores', 'receipts');
    await waitUntil(() => first.entries.length === 2, 'the group has read all');

    const refusal = resetGroups({ ...connection, at }).catch((error: Fault) => error.details.internal);
    t.match(await refusal, /no running instances/);
    await first.consumer.stop();
    t.same(await resetGroups({ ...connection, at }), [
      ...[`${prefix}scores.receipts`, `${prefix}outcomes.history`],
      ...[`${prefix}verifications.analytics`, `${prefix}verifications.webhooks`],
    ]);
    await log.append('scores', [entry('k', 'later')]);
    const second = await gather(log, 'scores', 'receipts');
    await waitUntil(() => second.entries.length === 2, 'it reads again');
    t.same(second.entries.map(textOf), ['after', 'later']);
  });
