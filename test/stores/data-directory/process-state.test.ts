import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { readProcessState } from '../../../src/stores/data-directory/process-state.js';
import { startZombie } from '../../helpers/zombie.js';
import { waitUntil } from '../../helpers/wait-until.js';

async function startChild(t: Test): Promise<{ readonly pid: number; kill(): void }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)']);
  await once(child, 'spawn');
  const kill = (): void => void child.kill('SIGKILL');
  t.teardown(kill);
  return { pid: child.pid ?? 0, kill };
}

t.test('a process runs until it is killed, and is never said to run from then on', async (t) => {
  const { pid, kill } = await startChild(t);
  t.equal(await readProcessState(process.pid), 'running');
  t.equal(await readProcessState(pid), 'running');
  kill();
  const seen = new Set<string>();
  await waitUntil(async () => {
    const state = await readProcessState(pid);
    seen.add(state);
    return state === 'gone';
  }, 'the process has gone');
  t.notOk(seen.has('running'), [...seen].join());
});

t.test('a pid that nobody has is gone, and so is a zombie that its parent takes no note of', async (t) => {
  t.equal(await readProcessState(spawnSync(process.execPath, ['-e', '']).pid), 'gone');
  const pid = await startZombie(t);
  t.doesNotThrow(() => process.kill(pid, 0), 'the pid is still taken');
  t.equal(await readProcessState(pid), 'gone');
});
