// The system's data on the processes of the stack. See stack-native.mjs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Empty where there is no such process; a zombie has none. */
export function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // Without /proc (macOS), ps shows the same.
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}
