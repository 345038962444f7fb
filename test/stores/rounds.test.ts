import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { type Rounds, startRounds } from '../../src/stores/rounds.js';

const run = promisify(execFile);
/** Longer than any test. */
const longMs = 600_000;

/** Rounds whose outcomes are given one by one: a value to resolve to, or an error to reject with. They stop with the last. */
function play(
  outcomes: readonly unknown[],
  options: { readonly everyMs: number; readonly firstMs?: number; readonly pauseMs?: readonly [number, number] },
): { readonly rounds: Rounds; readonly ended: Promise<void>; readonly seen: string[] } {
  const left = [...outcomes];
  const seen: string[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const rounds = startRounds({
    ...options,
    work: async () => {
      const outcome = left.shift();
      seen.push(String(outcome));
      if (left.length === 0) end();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    onError: (error, failures) => seen.push(`${failures} reported: ${String(error)}`),
  });
  return { rounds, ended, seen };
}

/** The process may end while rounds wait; a test may not. */
async function kept<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 1_000);
  return work.finally(() => clearInterval(timer));
}

t.test('a round that has more is followed at once by the next, one that has nothing by a wait', async (t) => {
  const { rounds, ended, seen } = play([true, true, false], { everyMs: longMs, firstMs: 0 });
  await kept(ended);
  t.same(seen, ['true', 'true', 'false']);
  await kept(rounds.stop());
});

t.test('rounds come every so often, the first after as long', async (t) => {
  const { rounds, ended, seen } = play([0, 'nothing', undefined], { everyMs: 1 });
  t.same(seen, [], 'none yet');
  await kept(ended);
  t.same(seen, ['0', 'nothing', 'undefined'], 'only true means more');
  await kept(rounds.stop());
});

t.test('a wake ends the wait, and one during a round leads to another', async (t) => {
  const ends: (() => void)[] = [];
  let begun = 0;
  let noteBegun = (): void => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (noteBegun = resolve));
  const rounds = startRounds({
    everyMs: longMs,
    work: () => {
      begun += 1;
      noteBegun();
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  const first = next();
  rounds.wake();
  await kept(first);
  rounds.wake();
  rounds.wake();
  const second = next();
  t.equal(begun, 1, 'never two at a time');
  ends.shift()?.();
  await kept(second);
  t.equal(begun, 2);
  ends.shift()?.();
  await kept(rounds.stop());
  t.equal(begun, 2, 'two wakes during a round are one');
});

t.test('a failed round is reported with how many failed in a row, and repeated', async (t) => {
  const failure = new Error('away');
  const outcomes = [failure, failure, true, failure, false];
  const { rounds, ended, seen } = play(outcomes, { everyMs: longMs, firstMs: 0, pauseMs: [1, 2] });
  await kept(ended);
  t.same(
    seen.filter((line) => line.includes('reported')),
    ['1 reported: Error: away', '2 reported: Error: away', '1 reported: Error: away'],
  );
  await kept(rounds.stop());
});

t.test('a wake does not end the pause after a failure, but a stop does', async (t) => {
  const { rounds, ended, seen } = play([new Error('away')], { everyMs: 1, firstMs: 0, pauseMs: [longMs, longMs] });
  await kept(ended);
  rounds.wake();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(seen, ['Error: away', '1 reported: Error: away']);
  await kept(rounds.stop());
});

t.test('a stop waits for the round in hand, which may see it, and starts no further one', async (t) => {
  const seen: boolean[] = [];
  let finish = (): void => undefined;
  const inHand = new Promise<void>((resolve) => (finish = resolve));
  const rounds = startRounds({
    everyMs: 1,
    firstMs: 0,
    work: async (isStopping) => {
      seen.push(isStopping());
      await inHand;
      seen.push(isStopping());
      return true;
    },
  });
  let hasStopped = false;
  const stopping = rounds.stop().then(() => (hasStopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(hasStopped);
  finish();
  await kept(stopping);
  t.same(seen, [false, true]);
});

t.test('rounds keep the process alive if they are asked to, and only then', async (t) => {
  const module = new URL('../../src/stores/rounds.js', import.meta.url).href;
  const count = async (keepsAlive: boolean): Promise<string> => {
    const program = `import { startRounds } from '${module}';
      let left = 3;
      const rounds = startRounds({ everyMs: 1, firstMs: 0, keepsAlive: ${keepsAlive}, async work() {
        console.log(left);
        if ((left -= 1) === 0) void rounds.stop();
      } });`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    return stdout;
  };
  t.equal(await count(true), '3\n2\n1\n');
  t.equal(await count(false), '3\n');
});
