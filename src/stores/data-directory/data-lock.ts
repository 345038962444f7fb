/**
 * A lock on a data directory, so that two processes never write the same files.
 *
 * The lock is a file that names its holder: pid, when that process started, host, and the namespace that the pid is of. It is put in place
 * whole (written aside, then linked), so it is never seen half written. A holder that is gone leaves it behind, and the next comer breaks it:
 * in the same namespace when the pid is free or belongs to a process that started at another time, from another host or namespace (two containers
 * may have one host name, and a process 1 each) when the holder's sign of life (the file's own time, renewed every few seconds) has stopped for
 * half a minute. For that it is watched, until a sign comes. A process that was killed and is still being taken down, or waits for its parent to take
 * note, is given up to five seconds to go. A holder that lives is left alone: DataDirectoryInUse says who and since when. One that was taken for gone and
 * comes back notices (held-lock.ts).
 */
import { link, mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { holdLock, type DataLock } from './held-lock.js';
import { codeOf, judgeHolder, readHolder, type Holder } from './lock-holder.js';
import { readPidSpace, readStartMark } from './process-state.js';

/** Another living process holds the directory; the message is a sentence for the operator. */
class DataDirectoryInUse extends Error {
  readonly pid: number;

  constructor(directory: string, file: string, holder: Holder) {
    const who = holder.host === hostname() ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
    super(
      `The data directory ${directory} is in use by ${who} since ${holder.since}. Stop that process, or set VH_DATA_DIR to another directory. ` +
        `If it is certain that no such process runs, delete ${file}.`,
    );
    this.name = 'DataDirectoryInUse';
    this.pid = holder.pid;
  }
}

const signOfLifeEveryMsDefault = 5_000;
const signOfLifeMsMax = 30_000;
const attemptsMax = 5;
const lookEveryMs = 50;

export interface LockOptions {
  /** Name of the lock's file. */
  readonly name?: string;
  /** How long a holder that is about to go is waited for. */
  readonly patienceMs?: number;
  /** A holder elsewhere that gave no sign of life for so long is gone. */
  readonly silentMsMax?: number;
  /** How often the holder gives one. */
  readonly signOfLifeEveryMs?: number;
  /** Called once if another process took the lock, because this one stood still or could not reach the directory. */
  readonly onLost?: (error: Error) => void;
  /** Aborted, the waiting ends with its reason. */
  readonly stop?: AbortSignal;
}

/** Takes the lock of `directory`, creating the directory where it is missing. Rejects with DataDirectoryInUse. */
export async function lockDataDirectory(
  directory: string,
  {
    name = 'verifyhuman.lock',
    patienceMs = 5_000,
    silentMsMax = signOfLifeMsMax,
    signOfLifeEveryMs = signOfLifeEveryMsDefault,
    onLost,
    stop,
  }: LockOptions = {},
): Promise<DataLock> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    startMark: await readStartMark(process.pid),
    pidSpace: await readPidSpace(),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
  const aside = `${file}.${own.token}`;
  try {
    await writeFile(aside, JSON.stringify(own), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
      throw new Error(
        `The data directory ${directory} cannot be written (${(error as Error).message}). Make room in it or give this process the right to write there, then start again.`,
        { cause: error },
      );
    });
    const giveUpAtMs = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      if (await tryLink(aside, file))
        return holdLock(file, own, { silentMsMax, signOfLifeEveryMs, ...(onLost === undefined ? {} : { onLost }) });
      const holder = await readHolder(file);
      if (holder === null) continue;
      const state = attempt > attemptsMax ? 'held' : await judgeHolder({ file, aside, holder, own, silentMsMax, stop });
      if (state === 'stale') await breakLock(file, holder);
      else if (state === 'going' && performance.now() < giveUpAtMs) {
        attempt--;
        stop?.throwIfAborted();
        await setTimeout(lookEveryMs);
      } else throw new DataDirectoryInUse(directory, file, holder);
    }
  } finally {
    await rm(aside, { force: true });
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a stale lock away. Moved aside first and looked at again: a lock that another comer took meanwhile goes back to its place. */
async function breakLock(file: string, stale: Holder): Promise<void> {
  const moved = `${file}.${randomUUID()}`;
  try {
    await rename(file, moved);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const holder = await readHolder(moved);
  if (holder !== null && holder.token !== stale.token) await tryLink(moved, file);
  await unlink(moved);
}
