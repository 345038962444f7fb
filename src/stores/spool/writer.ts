/**
 * Writes frames to the spool’s open file, in turn with sealing it when it is full or about to be drained. A write resolves when it is on
 * disk, and rejects with StoreUnavailable if the disk or the bound is full; half a write is taken back. A file whose flush failed gets no
 * further frames: a later flush of it may succeed although the disk lost what the failed one was to write.
 */
import type { Buffer } from 'node:buffer';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { storeUnavailable } from '../../errors.js';
import type { LogEntry } from '../log/port.js';
import { frameOf } from './frames.js';

export interface SpoolFile {
  readonly path: string;
  bytes: number;
}

interface SpoolWriterOptions {
  readonly directory: string;
  /** Oldest first; new files are added at the end. */
  readonly files: SpoolFile[];
  /** Number of the newest file. */
  readonly lastNumber: number;
  readonly bytesMax: number;
  readonly fileBytesMax: number;
}

interface SpoolWriter {
  write(entries: readonly LogEntry[]): Promise<void>;
  /** Closes the open file; with `only`, where it is that one. */
  seal(only?: SpoolFile): Promise<void>;
  /** Size of all files. */
  bytes(): number;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly file: SpoolFile;
}

const store = 'spool';

export function createSpoolWriter({
  directory,
  files,
  lastNumber,
  bytesMax,
  fileBytesMax,
}: SpoolWriterOptions): SpoolWriter {
  let number = lastNumber;
  let active: OpenFile | null = null;
  let lastWork: Promise<unknown> = Promise.resolve();
  const bytes = (): number => files.reduce((sum, file) => sum + file.bytes, 0);
  /** Writing and sealing take turns. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = lastWork.then(work);
    lastWork = done.catch(() => undefined);
    return done;
  };

  const seal = async (): Promise<void> => {
    const { handle } = active ?? {};
    active = null;
    await handle?.close();
  };
  const begin = async (): Promise<OpenFile> => {
    const path = join(directory, `receipts-${String(++number).padStart(10, '0')}.spool`);
    const handle = await open(path, 'wx', 0o600);
    const file = { path, bytes: 0 };
    files.push(file);
    active = { handle, file };
    await syncDirectory(directory);
    return active;
  };
  /** Removes half a frame, or the file if nothing else is in it. What cannot be removed stays as the torn end of the file. */
  const abandon = async ({ handle, file }: OpenFile): Promise<void> => {
    await handle.truncate(file.bytes).catch(() => undefined);
    await seal().catch(() => undefined);
    if (file.bytes > 0 || !files.includes(file)) return;
    files.splice(files.indexOf(file), 1);
    await unlink(file.path).catch(() => undefined);
  };
  const write = async (entries: readonly LogEntry[]): Promise<void> => {
    const frame = frameOf(entries);
    const size = frame[0].length + frame[1].length;
    if (bytes() + size > bytesMax)
      throw storeUnavailable(`${store}: the ${bytesMax} bytes that it may take up are used`);
    try {
      const { handle, file } = active ?? (await begin());
      await writeWhole(handle, file.bytes, frame);
      file.bytes += size;
      if (file.bytes >= fileBytesMax) await seal();
    } catch (error) {
      if (active !== null) await abandon(active);
      throw storeUnavailable(`${store}: ${(error as Error).message}`, error);
    }
  };
  return {
    write: (entries) => inTurn(() => write(entries)),
    seal: (only) => inTurn(async () => (only === undefined || active?.file === only ? seal() : undefined)),
    bytes,
  };
}

/** A new file outlives a loss of power only when its directory was flushed too. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, at: number, frame: readonly Buffer[]): Promise<void> {
  let position = at;
  for (const piece of frame) {
    for (let from = 0; from < piece.length;) {
      const { bytesWritten } = await handle.write(piece, from, piece.length - from, position);
      from += bytesWritten;
      position += bytesWritten;
    }
  }
  await handle.datasync();
}
