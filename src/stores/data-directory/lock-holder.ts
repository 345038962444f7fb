/**
 * Who holds a lock, by its file, and whether that process still lives.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { readProcessState, readStartMark } from './process-state.js';

/** What the lock file holds, as JSON. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, as the kernel counts it, with the boot it belongs to; null where there is no /proc. */
  readonly startMark: string | null;
  /** Namespace of the pid; null if the kernel does not report one. */
  readonly pidSpace: string | null;
  /** ISO 8601, for people. */
  readonly since: string;
  readonly token: string;
}

/** Of a file that names no holder. */
const nobody = 0;
const watchEveryMs = 250;

/** The holder named in the file; null when the file is gone. */
export async function readHolder(file: string): Promise<Holder | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    if (typeof holder.pid === 'number' && typeof holder.host === 'string' && typeof holder.token === 'string')
      return holder as Holder;
  } catch {
    // Not written by us, or cut off by a full disk: falls through.
  }
  return {
    pid: nobody,
    host: 'an unknown host',
    startMark: null,
    pidSpace: null,
    since: 'an unknown time',
    token: text,
  };
}

export interface Judgement {
  readonly file: string;
  readonly aside: string;
  readonly holder: Holder;
  readonly own: Holder;
  readonly silentMsMax: number;
  readonly stop: AbortSignal | undefined;
}

/** `going`: a process that this one can see, and that the kernel is taking down. */
export async function judgeHolder(judgement: Judgement): Promise<'stale' | 'going' | 'held'> {
  const { holder, own } = judgement;
  if (!isInSight(holder, own)) return (await fallsSilent(judgement)) ? 'stale' : 'held';
  const state = await readProcessState(holder.pid);
  if (state === 'gone') return 'stale';
  const startMark = await readStartMark(holder.pid);
  if (startMark !== null && holder.startMark !== null && startMark !== holder.startMark) return 'stale';
  return state === 'dying' ? 'going' : 'held';
}

/** Whether the holder's pid says something here. */
const isInSight = (holder: Holder, own: Holder): boolean =>
  holder.host === own.host && (holder.pidSpace === null || own.pidSpace === null || holder.pidSpace === own.pidSpace);

/**
 * Whether the holder's last sign of life is old enough, or becomes so while it is watched; false when one comes, or the lock changes hands.
 * Compares two times of the same file system, so that clocks of different hosts do not matter.
 */
async function fallsSilent({ file, aside, holder, silentMsMax, stop }: Judgement): Promise<boolean> {
  const first = await signOfLife(file);
  for (;;) {
    if (first === null || (await signOfLife(file)) !== first) return false;
    await writeFile(aside, await readFile(aside));
    if ((await stat(aside)).mtimeMs - first > silentMsMax) return true;
    if (holder.pid === nobody) return false;
    stop?.throwIfAborted();
    await setTimeout(Math.min(watchEveryMs, silentMsMax));
  }
}

/** The time of the lock's file; null where it is gone. */
const signOfLife = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    },
  );

/** The code of a system error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
