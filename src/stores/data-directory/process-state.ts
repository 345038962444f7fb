/**
 * What the kernel says of a process: whether it runs, is being taken down, or has gone. Where there is no /proc, a process that takes
 * signals runs.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';

export type ProcessState = 'running' | 'dying' | 'gone';

/** PF_EXITING of the kernel's sched.h. */
const exitingFlag = 0x4;
/** The bit of SIGKILL in a mask of signals. */
const killBit = 0x100n;

/**
 * `dying`: killed, and the kernel has not finished with it. A zombie that is all that is left has gone: it holds nothing, and only waits
 * for its parent. A zombie with threads has not: they may still write.
 */
export async function readProcessState(pid: number): Promise<ProcessState> {
  if (!takesSignals(pid)) return 'gone';
  const fields = await readStat(pid);
  if (fields === null) return takesSignals(pid) ? 'running' : 'gone';
  const [state = '', , , , , , flags = '0'] = fields;
  if (state === 'Z' || state === 'X') return (await countThreads(pid)) > 1 ? 'dying' : 'gone';
  if ((Number(flags) & exitingFlag) !== 0 || (await isKillPending(pid))) return 'dying';
  return 'running';
}

/** Boot and start time of a process, which differ for a later one with the same pid; null if the kernel does not report them. */
export async function readStartMark(pid: number): Promise<string | null> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  const startTicks = (await readStat(pid))?.[19];
  return boot === null || startTicks === undefined ? null : `${boot.trim()}:${startTicks}`;
}

/** The boot and the namespace in which a pid of this process means anything: containers on one machine have their own; null where the kernel does not say. */
export async function readPidSpace(): Promise<string | null> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  const namespace = await readlink('/proc/self/ns/pid').catch(() => null);
  return boot === null || namespace === null ? null : `${boot.trim()}:${namespace}`;
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The fields of /proc/PID/stat behind the command, the state first. The command in parentheses may itself hold spaces. */
async function readStat(pid: number): Promise<string[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function countThreads(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/task`).catch(() => [])).length;
}

async function isKillPending(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return [...status.matchAll(/^(?:Sig|Shd)Pnd:\s*([0-9a-f]+)$/gm)].some(
    ([, mask]) => (BigInt(`0x${mask ?? '0'}`) & killBit) !== 0n,
  );
}
