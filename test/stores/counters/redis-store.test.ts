/** Steps that two processes run on the same value, whose replies come in turns. */
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import type { BytesCommand } from '../../../src/stores/counters/redis/bytes-call.js';
import { BytesCall } from '../../../src/stores/counters/redis/bytes-call.js';
import type { RedisConnection } from '../../../src/stores/counters/redis/connection.js';
import { loadScripts } from '../../../src/stores/counters/redis/scripts.js';
import { createStore } from '../../../src/stores/counters/redis/store.js';
import { u16, u16At, type Bytes } from '../../../src/stores/counters/counting/bytes.js';
import { Collected, payloadOf, type Ended, type Step } from '../../../src/stores/counters/counting/step.js';

/** A server with one value, which answers every command a turn of the event loop later. */
function createServer() {
  const held: { value: Bytes | null } = { value: null };
  const answer = (command: BytesCommand): unknown => {
    if (command instanceof BytesCall) return [held.value === null ? null : Buffer.from(held.value, 'latin1')];
    const [, , , counts = '', expected = '', value = ''] = command.args;
    if (counts.charCodeAt(2) > 0 && expected !== (held.value ?? '').slice(0, 2)) return 0;
    held.value = value;
    return 1;
  };
  const connection: Pick<RedisConnection, 'within' | 'sendAll'> = {
    within: (work) => work({ isOver: () => false, renew: () => undefined }),
    sendAll: async (commands) => {
      await turn();
      return commands.map(answer);
    },
  };
  return { held, connection: connection as RedisConnection };
}

function* countOne(): Step<Ended<void>> {
  const { values } = yield { keys: ['k'] };
  const writes = new Collected();
  writes.replace('k', values[0], u16(u16At(payloadOf(values[0]) || u16(0), 0) + 1), 1_000);
  return { result: undefined, writes };
}

t.test('of two processes in step neither loses until it writes over the other', async (t) => {
  const { held, connection } = createServer();
  const { scripts } = await loadScripts();
  const [busy, other] = [createStore(connection, scripts), createStore(connection, scripts)];
  let runs = 0;
  let isDone = false;
  const keepOn = async (): Promise<void> => {
    for (; !isDone; runs += 1) await busy.run([], countOne);
  };
  const always = keepOn();
  for (let i = 0; i < 5; i += 1, runs += 1) await other.run([], countOne);
  isDone = true;
  await always;
  t.equal(u16At(payloadOf(held.value), 0), runs % 65_536);
});
