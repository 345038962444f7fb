/**
 * Locks a data directory, so that two processes never write the same files: an operating system lock, which the kernel releases however
 * its holder ends. Rejects with DataDirectoryInUse while another process holds it.
 */
import { constants } from 'node:fs';
import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { makeDirectory } from '../make-directory.js';

export interface DataLock {
  /** Releases the directory. Harmless when called again. */
  release(): Promise<void>;
}

export interface LockOptions {
  /** Name of the lock's file. */
  readonly name?: string;
  /** How long to wait for a holder that is ending: a killed process keeps its lock until the kernel has taken it down. */
  readonly waitMs?: number;
  /** Aborted, the waiting ends with its reason. */
  readonly stop?: AbortSignal;
}

const retryEveryMs = 50;

/** Another living process holds the directory; the message is a sentence for the operator. */
class DataDirectoryInUse extends Error {
  constructor(directory: string, holder: string) {
    super(
      `The data directory ${directory} is in use by ${holder}. Stop that process, or set VH_DATA_DIR to another directory.`,
    );
    this.name = 'DataDirectoryInUse';
  }
}

/** Locks `directory`, creating the directory if it is missing. */
export async function lockDataDirectory(directory: string, options: LockOptions = {}): Promise<DataLock> {
  let file: FileHandle | null = null;
  try {
    makeDirectory(directory);
    // Neither truncated nor appended to: until the lock is taken, the text is the holder's.
    file = await open(join(directory, options.name ?? 'verifyhuman.lock'), constants.O_RDWR | constants.O_CREAT, 0o600);
    await takeLock(file, directory, options);
    await checkRoom(directory);
    await file.truncate();
    await file.write(`process ${process.pid} on ${hostname()} since ${new Date().toISOString()}`, 0);
  } catch (error) {
    await file?.close();
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : cannotWrite(directory, error);
  }
  const held = file;
  let released: Promise<void> | null = null;
  return { release: () => (released ??= held.close()) };
}

async function takeLock(file: FileHandle, directory: string, { waitMs = 5_000, stop }: LockOptions): Promise<void> {
  const giveUpAtMs = performance.now() + waitMs;
  while (!tryLock(file.fd)) {
    if (performance.now() >= giveUpAtMs) throw new DataDirectoryInUse(directory, await readHolder(file));
    await setTimeout(retryEveryMs);
    stop?.throwIfAborted();
  }
}

/** A directory without room takes the lock, whose file is there already, and nothing after it. */
async function checkRoom(directory: string): Promise<void> {
  const file = join(directory, `check-${process.pid}`);
  try {
    await writeFile(file, Buffer.alloc(4_096, 1));
  } finally {
    await rm(file, { force: true });
  }
}

/** Reads the name that the lock’s holder wrote. */
async function readHolder(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return bytesRead === 0 ? 'another process' : buffer.toString('utf8', 0, bytesRead);
}

const cannotWrite = (directory: string, cause: unknown): Error =>
  new Error(
    `The data directory ${directory} is not writable (${(cause as Error).message}). Free space, grant write access, or set VH_DATA_DIR to another directory.`,
    { cause },
  );
