/** A pool thread for tests: what it does is told by the session id of a sketch task. */
import { pack, unpack } from 'msgpackr';
import { move } from 'piscina';
import type { PoolAnswer, PoolTask } from '../../../src/contract/pool.js';

export default async function runBatch(message: Uint8Array): Promise<unknown> {
  const tasks = unpack(message) as readonly PoolTask[];
  const answers: PoolAnswer[] = [];
  for (const task of tasks) answers.push(await answer(task.kind === 'sketch' ? task.body.sessionId : ''));
  return move(new Uint8Array(pack(answers)).buffer);
}

async function answer(order: string): Promise<PoolAnswer> {
  if (order === 'die') process.exit(1);
  if (order === 'hang') await new Promise(() => setInterval(() => undefined, 1_000));
  if (order === 'fault') return { ok: false, code: 'NOT_FOUND', message: 'no such thing', internal: 'inner' };
  if (order === 'bug')
    return { ok: false, code: 'INTERNAL', message: 'undefined is not a function', internal: 'stack of the bug' };
  return {
    ok: true,
    value: { sketch: { terms: [order], osFamily: null, browser: null, browserMajor: null }, bands: [] },
  };
}
