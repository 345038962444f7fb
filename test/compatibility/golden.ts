/** The files that hold what a version stores, sends and promises; see golden.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { linesOf, type ApiDocument } from './api-lines.js';
import { countInto, countOn, keptIn, makeFormats, migrationHashes } from './formats.js';
import { sdkLines } from './sdk-lines.js';

/** The version whose promises hold. */
const directory = 'test/compatibility/0.1.0';
/** A snapshot of the counters, compressed: most of it are empty cells. */
const snapshotFile = join(directory, 'counters.snapshot.gz');

export interface Golden {
  readonly api: readonly string[];
  readonly sdk: readonly string[];
  readonly migrations: Readonly<Record<string, string>>;
  readonly formats: ReturnType<typeof makeFormats>;
  /** Keys and values of the counters, in hexadecimal. */
  readonly counters: Readonly<Record<string, string>>;
  readonly counted: Awaited<ReturnType<typeof countOn>>;
  /** The file as it was, before anything was counted on it. */
  readonly snapshot: Buffer;
}

/** Makes it for the version that runs, with a folder to work in. */
export async function make(folder: string): Promise<Golden> {
  const documents = ['api', 'studies'].map(
    (name) => JSON.parse(readFileSync(`dist/openapi/${name}.json`, 'utf8')) as ApiDocument,
  );
  const path = join(folder, 'counters.snapshot');
  await countInto(path);
  const [snapshot, counters] = [readFileSync(path), await keptIn(path)];
  const counted = await countOn(path);
  const stored = { migrations: migrationHashes(), formats: makeFormats(), counters, counted };
  return { ...asJson(stored), api: linesOf(documents), sdk: sdkLines(), snapshot };
}

/** The value after it was written and read. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export function read(): Golden {
  const text = (name: string) => readFileSync(join(directory, name), 'utf8');
  const lines = (name: string) => text(name).trimEnd().split('\n');
  const stored = JSON.parse(text('formats.json')) as Omit<Golden, 'api' | 'sdk' | 'snapshot'>;
  return { ...stored, api: lines('api.txt'), sdk: lines('sdk.txt'), snapshot: gunzipSync(readFileSync(snapshotFile)) };
}

/** Records what this version makes. */
export async function write(folder: string): Promise<void> {
  const { api, sdk, snapshot, ...stored } = await make(folder);
  writeFileSync(join(directory, 'api.txt'), `${api.join('\n')}\n`);
  writeFileSync(join(directory, 'sdk.txt'), `${sdk.join('\n')}\n`);
  writeFileSync(join(directory, 'formats.json'), `${JSON.stringify(stored, null, 2)}\n`);
  writeFileSync(snapshotFile, gzipSync(snapshot));
}
