/**
 * Reads what is left of a body that is refused. A client that still writes when its connection is closed sees a broken connection and
 * not the answer; so the answer waits for the end of the body, within bounds: whoever sends more, or slower, may miss it.
 */
import type { Readable } from 'node:stream';

const bytesMax = 16_777_216;
const waitMsMax = 5_000;

/** Resolves at the end of the body, where its reading failed, and at either bound. Never rejects. */
export function readOn(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      body.off('data', count).off('end', finish).off('close', finish).off('error', finish);
      resolve();
    };
    const count = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > bytesMax) finish();
    };
    const timer = setTimeout(finish, waitMsMax);
    if (body.readableEnded || body.destroyed) return finish();
    body.on('data', count).on('end', finish).on('close', finish).on('error', finish);
    body.resume();
  });
}
