/**
 * The snapshot of the counters in memory. It is written to a temporary file, flushed and renamed, so that the file is always the old snapshot or the
 * new one. A checksum precedes the content. A snapshot that cannot be read is renamed to `.broken` and reported, and counting starts from nothing.
 * Without a file, counting starts from nothing, too.
 */
import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { Packr } from 'msgpackr';
import type { TableDump } from './keyspace.js';

/** Change this whenever a table’s values change shape: a snapshot of another format is set aside. */
const format = 'verifyhuman-counters-2';

const checksumBytes = 32;

export interface SnapshotNote {
  readonly code: 'SNAPSHOT_BROKEN';
  readonly path: string;
  readonly reason: string;
}

/** Maps and typed arrays come back as what they were. */
const createPackr = (): Packr => new Packr({ structuredClone: true, moreTypes: true });

export async function readSnapshot(
  path: string,
): Promise<{ readonly dumps: readonly TableDump[]; readonly note: SnapshotNote | null }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { dumps: [], note: null };
    return { dumps: [], note: { code: 'SNAPSHOT_BROKEN', path, reason: String(error) } };
  }
  try {
    const packed = bytes.subarray(checksumBytes);
    if (!checksumOf(packed).equals(bytes.subarray(0, checksumBytes))) throw new Error('its checksum does not match');
    const content = createPackr().unpack(packed) as unknown;
    if (!isSnapshot(content)) throw new Error(`it is not of the form ${format}`);
    return { dumps: content.tables, note: null };
  } catch (error) {
    await rename(path, `${path}.broken`).catch(() => undefined);
    return { dumps: [], note: { code: 'SNAPSHOT_BROKEN', path, reason: String(error) } };
  }
}

export async function writeSnapshot(path: string, tables: readonly TableDump[]): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    const packed = createPackr().pack({ format, tables });
    await file.writeFile(Buffer.concat([checksumOf(packed), packed]));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

function isSnapshot(content: unknown): content is { readonly tables: readonly TableDump[] } {
  if (typeof content !== 'object' || content === null || !('format' in content) || content.format !== format)
    return false;
  return 'tables' in content && Array.isArray(content.tables);
}

function checksumOf(packed: Uint8Array): Buffer {
  return createHash('sha256').update(packed).digest();
}
