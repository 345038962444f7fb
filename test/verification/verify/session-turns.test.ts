/** Pictures of one session: one envelope at a time, a few in all, and other sessions meanwhile. */
import t from 'tap';
import { createSessionTurns } from '../../../src/verification/verify/session-turns.js';

t.test('a second envelope is refused while the first is judged; another session is not', async (t) => {
  const turns = createSessionTurns();
  let end = (_: number): void => undefined;
  const first = turns.run('one', () => new Promise<number>((resolve) => (end = resolve)));
  await t.rejects(
    turns.run('one', () => Promise.resolve(2)),
    { code: 'OVERLOADED', details: { headers: { 'retry-after': '1' } } },
  );
  t.equal(await turns.run('two', () => Promise.resolve(3)), 3);
  end(1);
  t.equal(await first, 1);
});

t.test(
  'after four turns a session is refused, as no verdict may rest on pictures that nobody looked at; a turn that failed is none',
  async (t) => {
    const turns = createSessionTurns();
    await t.rejects(
      turns.run('one', () => Promise.reject(new Error('full'))),
      { message: 'full' },
    );
    for (let turn = 0; turn < 4; turn += 1) t.equal(await turns.run('one', () => Promise.resolve(turn)), turn);
    await t.rejects(
      turns.run('one', () => Promise.resolve(4)),
      { code: 'OVERLOADED' },
    );
    t.equal(await turns.run('two', () => Promise.resolve(5)), 5);
  },
);
