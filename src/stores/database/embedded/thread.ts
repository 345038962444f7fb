/**
 * Thread of the embedded database, because PGlite blocks its thread: bytes of the PostgreSQL protocol in and out, in order. Posts `{
 * ready: true }` once open. Errors outside of SQL (the WASM module aborts, the disk is full) end the thread and reach everyone who waits.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { closeRequest, joinBytes } from './stream.js';

export interface EmbeddedThreadData {
  /** The directory of the cluster; null for memory. */
  readonly directory: string | null;
}

export type EmbeddedThreadMessage = { readonly ready: true } | { readonly closed: true } | Uint8Array;

/** A reply leaves in slices of so many parts, some 8 KB each, so that a long one is never held whole. */
const slicePartsMax = 32;

/**
 * The write-ahead log would grow to a gigabyte before it is reused, which is much for a data directory on a laptop. WebAssembly’s memory grows and never
 * shrinks: by default a table is analyzed by 30,000 of its rows, which are 45 MB of receipts, and tidied with 64 MB.
 */
const settings = [
  'max_wal_size=256MB',
  'shared_buffers=32MB',
  'default_statistics_target=20',
  'maintenance_work_mem=8MB',
];
const startParams = [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])];

const port = parentPort;
if (port !== null) {
  const { directory } = workerData as EmbeddedThreadData;
  const isNew = directory !== null && !existsSync(join(directory, 'PG_VERSION'));
  const database = await PGlite.create({ ...(directory === null ? {} : { dataDir: directory }), startParams });

  let parts: Uint8Array[] = [];
  const flush = (): void => {
    const slice = joinBytes(parts);
    parts = [];
    port.postMessage(slice, [slice.buffer]);
  };
  // Not `execProtocolRaw`: that parses each message of a reply and keeps all of them for good.
  const answer = async (request: Uint8Array): Promise<void> => {
    await database.execProtocolRawStream(request, {
      // A view on WebAssembly’s memory, valid until this returns.
      onRawData: (part) => void (parts.push(part.slice()) === slicePartsMax && flush()),
    });
    if (parts.length > 0) flush();
  };

  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: Uint8Array | typeof closeRequest) => {
    if (message !== closeRequest) {
      last = last.then(() => answer(message));
      return;
    }
    void last
      .then(() => database.close())
      .then(() => {
        port.postMessage({ closed: true });
        port.close();
      });
  });
  if (isNew) await collectGarbage();
  port.postMessage({ ready: true });
}

/** Frees the PostgreSQL that made a new cluster: 300 MB outside of V8’s heap. The first collection finalizes, the second frees. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await setImmediate();
  collect();
}
