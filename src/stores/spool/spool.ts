/**
 * A queue of log entries on the local disk, for the time in which the log is away.
 *
 *   append ──▶ open file ──full, or its turn to be drained──▶ sealed files, oldest first ──all sent──▶ deleted
 *
 * An append resolves when it is on the disk (appends at the same time share a write and a flush), and rejects with StoreUnavailable where
 * the disk or the bound is full; half of a failed write is taken back. Entries leave in the order in which they came, and their file goes
 * when all of it was taken: what a crash cuts short is handed out again at the next start, so entries leave at least once. A file with
 * damage, or with an entry that the receiver refuses, is renamed and kept.
 */
import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnavailable } from '../../errors.js';
import type { Logger } from '../../telemetry/logger.js';
import { createGroupCommit } from '../log/group-commit.js';
import { packedBytes } from '../log/packing.js';
import type { LogEntry } from '../log/port.js';
import { readFrames } from './frames.js';
import { createSpoolWriter, type SpoolFile } from './writer.js';

export interface SpoolOptions {
  /** Created where it is missing; no other process may use it. */
  readonly directory: string;
  /** Most that all files together may take up. */
  readonly bytesMax: number;
  readonly logger: Logger;
  /** A file is sealed at this size. */
  readonly fileBytesMax?: number;
}

export interface Spool {
  append(entries: readonly LogEntry[]): Promise<void>;
  /** Hands everything to `send`, oldest first; resolves when nothing is left or it is to stop, rejects with what `send` rejected with and then goes on from there. One at a time. */
  drain(send: (entries: readonly LogEntry[]) => Promise<void>, isStopping?: () => boolean): Promise<void>;
  /** Whether the bound leaves room for another receipt. */
  hasRoom(): boolean;
  /** Size of what waits. */
  bytes(): number;
  /** Files kept aside, of this process and earlier ones: someone has to look at them. Read from the disk, from which an operator takes them. */
  kept(): Promise<KeptFiles>;
  /** Deletes those kept aside before that time, milliseconds since 1970; answers their paths. */
  dropKept(keptBeforeMs: number): Promise<readonly string[]>;
  /** Leaves what waits for the next start. */
  close(): Promise<void>;
}

/** Upper bound of an encoded receipt. */
const receiptBytes = 16_384;
const appendDeadlineMs = 1_000;
const writeBytesMax = 1_048_576;
const waitingBytesMax = 33_554_432;
const sendBytesMax = 262_144;
const fileBytesMaxDefault = 16_777_216;
const fileName = /^receipts-(\d{10})\.spool$/;
const anyFileName = /^receipts-(\d{10})\.spool(?:\.kept)?$/;
/** These errors concern the process and not the file: reading is tried again. */
const passingCodes = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'];

/** Opens the spool with what an earlier process left in it. */
export async function openSpool({
  directory,
  bytesMax,
  logger,
  fileBytesMax = fileBytesMaxDefault,
}: SpoolOptions): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = await findFiles(directory);
  const lastNumber = await findLastNumber(directory);
  const writer = createSpoolWriter({ directory, files, lastNumber, bytesMax, fileBytesMax });
  const commit = createGroupCommit({
    store: 'spool',
    write: writer.write,
    deadlineMs: appendDeadlineMs,
    writeBytesMax,
    waitingBytesMax,
  });
  const drainFile = createDrain(files, logger);
  return {
    append: commit.append,
    drain: async (send, isStopping = () => false) => {
      for (let file = files[0]; file !== undefined && !isStopping(); file = files[0]) {
        const next = file;
        await writer.seal(next);
        // Its first write may have failed meanwhile, and taken it away.
        if (files.includes(next)) await drainFile(next, send, isStopping);
      }
    },
    hasRoom: () => writer.bytes() + receiptBytes <= bytesMax,
    bytes: writer.bytes,
    kept: () => findKept(directory),
    dropKept: (keptBeforeMs) => dropKept(directory, keptBeforeMs),
    close: async () => {
      await commit.drain();
      await writer.seal();
    },
  };
}

/** Returns a function that sends one file and deletes it, or keeps it aside; it goes on where an earlier call ended. */
function createDrain(files: SpoolFile[], logger: Logger) {
  const sent = new Map<SpoolFile, number>();
  return async (
    file: SpoolFile,
    send: (entries: readonly LogEntry[]) => Promise<void>,
    isStopping: () => boolean,
  ): Promise<void> => {
    const content = await readFile(file.path).catch((error: unknown) => setAside(file, error, logger));
    if (content === null) return void files.splice(files.indexOf(file), 1);
    const { frames, tornBytes, damagedBytes } = readFrames(content);
    let refusals = 0;
    for (const lot of lotsOf(frames.flat().slice(sent.get(file) ?? 0))) {
      if (isStopping()) return;
      refusals += await sendLot(lot, send, logger);
      sent.set(file, (sent.get(file) ?? 0) + lot.length);
    }
    if (tornBytes > 0)
      logger.info({ file: file.path, tornBytes }, 'a spool file ends in a partial frame without acknowledged data');
    if (damagedBytes > 0)
      logger.error(
        { file: `${file.path}${keptEnding}`, damagedBytes },
        'a spool file is damaged; readable receipts were replayed and the file is kept',
      );
    const isKept = damagedBytes > 0 || refusals > 0;
    await (isKept ? rename(file.path, file.path + keptEnding) : unlink(file.path)).catch(unlessGone);
    sent.delete(file);
    files.splice(files.indexOf(file), 1);
  };
}

/** A file that cannot be read leaves the queue, so that those behind it are sent; null then. Rejects where trying again may help. */
async function setAside(file: SpoolFile, error: unknown, logger: Logger): Promise<null> {
  const code = codeOf(error);
  if (code === undefined || passingCodes.includes(code)) throw error;
  logger.error(
    { err: error, file: file.path },
    code === 'ENOENT'
      ? 'a spool file with unreplayed receipts is missing; an operator or another process deleted it'
      : 'a spool file is unreadable and kept; its receipts are not replayed',
  );
  await rename(file.path, file.path + keptEnding).catch(() => undefined);
  return null;
}

/** The code of a system error. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** Files of earlier processes, oldest first. */
async function findFiles(directory: string): Promise<SpoolFile[]> {
  const names = (await readdir(directory)).filter((name) => fileName.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({ path: join(directory, name), bytes: (await stat(join(directory, name))).size })),
  );
}

/** The number of the newest file, including files that are kept: a later kept one does not take their place. */
async function findLastNumber(directory: string): Promise<number> {
  const numbers = (await readdir(directory)).map((name) => Number(anyFileName.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

function lotsOf(entries: readonly LogEntry[]): readonly (readonly LogEntry[])[] {
  const lots: LogEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const size = packedBytes(entry);
    if (lots.length === 0 || size > room) {
      lots.push([]);
      room = sendBytesMax;
    }
    room -= size;
    lots.at(-1)?.push(entry);
  }
  return lots;
}

/** Sends a lot, and one by one where the receiver objects to something in it. Answers with how many it will never take. */
async function sendLot(
  lot: readonly LogEntry[],
  send: (entries: readonly LogEntry[]) => Promise<void>,
  logger: Logger,
): Promise<number> {
  try {
    await send(lot);
    return 0;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const [only] = lot;
    if (only !== undefined && lot.length === 1) {
      logger.error({ err: error, key: only.key }, 'the log refused a spooled entry; its file is kept');
      return 1;
    }
  }
  let refusals = 0;
  for (const entry of lot) refusals += await sendLot([entry], send, logger);
  return refusals;
}

/** Goes behind the name that the file had in the queue. */
const keptEnding = '.kept';

export interface KeptFiles {
  readonly files: number;
  /** When the oldest of them was written last, milliseconds since 1970; null where there is none. */
  readonly oldestAtMs: number | null;
}

/** Files that were damaged or hold an entry that the log refuses; they wait for an operator, and are deleted by age. */
async function findKept(directory: string): Promise<KeptFiles> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(keptEnding));
  const found = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => null)));
  const times = found.flatMap((each) => (each === null ? [] : [each.mtimeMs]));
  return { files: times.length, oldestAtMs: times.length === 0 ? null : Math.min(...times) };
}

/** Deletes those that were kept aside before that time, milliseconds since 1970; answers their paths. The rename was the last change of each. */
async function dropKept(directory: string, keptBeforeMs: number): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(keptEnding)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile() || found.ctimeMs >= keptBeforeMs) continue;
    await unlink(path);
    dropped.push(path);
  }
  return dropped;
}
