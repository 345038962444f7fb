/**
 * A process that has ended and stays in the table of processes, because its parent never asks for its result.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Test } from 'tap';
import { waitUntil } from './wait-until.js';

/** Returns its pid. The parent ends with the test, and init then takes note of the zombie. */
export async function startZombie(t: Test): Promise<number> {
  // The child ends once its parent has become a program that knows of no children.
  const script = 'self=$$; (until grep -q sleep /proc/$self/comm; do :; done) & echo $!; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => void parent.kill('SIGKILL'));
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(String(text).trim());
  await waitUntil(async () => / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')), 'the child is a zombie');
  return pid;
}
