/**
 * Reads the rest of a refused body. A client that still writes when its connection closes sees a broken connection instead of the response, so
 * the response waits for the end of the body. Clients that send more than the bound, or take longer, may miss it.
 */
import type { Readable } from 'node:stream';

const bytesMax = 16_777_216;
const waitMsMax = 5_000;

/** Resolves at the end of the body, at either bound, or if reading fails. Never rejects. */
export function drainBody(body: Readable): Promise<void> {
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
