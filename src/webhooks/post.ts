/**
 * One request to a receiver, within one deadline. Redirects are not followed. The first 16 KiB of the answer are kept as text; a body that
 * does not end is cut off and judged by its status. Never rejects: a failure is an outcome, with a sentence for the receiver’s owner.
 */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { buildConnector } from 'undici';
import { explainFailure } from './post-failure.js';

export interface PostOutcome {
  /** null: no complete answer came. */
  readonly status: number | null;
  readonly responseBody: string | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** The caller’s signal ended it: nothing is known of what the receiver did. */
  readonly aborted: boolean;
}

export interface PosterOptions {
  readonly connect: buildConnector.connector;
  /** Longest that one request takes, from its name to the last byte. */
  readonly timeoutMs: number;
}

export interface Poster {
  post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<PostOutcome>;
  close(): Promise<void>;
}

/** The log keeps this much of a reply, after decompression. */
export const keptBytesMax = 16_384;
/** The service reads and holds this much of a reply, before decompression. */
const heldBytesMax = 65_536;
const readBytesMax = 262_144;

export function createPoster({ connect, timeoutMs }: PosterOptions): Poster {
  // One deadline stands for all of its own. Endpoints on one host share its connections; how many there are is limited by the sender.
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  return {
    async post(url, headers, body, signal) {
      const startedMs = performance.now();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const progress: Progress = { status: null, readBytes: 0 };
      const durationMs = (): number => Math.round(performance.now() - startedMs);
      try {
        const responseBody = await send(
          agent,
          { url, headers, body, signal: AbortSignal.any([signal, deadline.signal]) },
          progress,
        );
        return { status: progress.status, responseBody, durationMs: durationMs(), error: null, aborted: false };
      } catch (error) {
        const failure = explainFailure(error, { timedOut: deadline.signal.aborted, timeoutMs, ...progress });
        return { status: null, responseBody: null, durationMs: durationMs(), error: failure, aborted: signal.aborted };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Progress {
  status: number | null;
  readBytes: number;
}

interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

async function send(agent: Agent, { url, headers, body, signal }: Sending, progress: Progress): Promise<string> {
  const response = await agent.request({
    origin: new URL(url).origin,
    path: pathOf(url),
    method: 'POST',
    headers,
    body,
    signal,
  });
  progress.status = response.statusCode;
  const held = await hold(response.body, progress);
  return readText(held, encodingOf(response.headers));
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Reads to the end, or to the most that is read, and holds the beginning. */
async function hold(body: Dispatcher.ResponseData['body'], progress: Progress): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    progress.readBytes += chunk.length;
    if (heldBytes < heldBytesMax) {
      chunks.push(chunk.subarray(0, heldBytesMax - heldBytes));
      heldBytes += chunk.length;
    }
    if (progress.readBytes > readBytesMax) break; // leaving the loop closes the connection
  }
  return Buffer.concat(chunks);
}

function encodingOf(headers: Dispatcher.ResponseData['headers']): string {
  const encoding = headers['content-encoding'];
  return typeof encoding === 'string' ? encoding.toLowerCase() : '';
}

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** Decodes text that a database can keep. A reply that was compressed unasked is unpacked only as far as it is kept. */
async function readText(held: Buffer, encoding: string): Promise<string> {
  const decoder = Object.entries(decoders).find(([name]) => name === encoding)?.[1];
  const bytes = decoder === undefined ? held : await unpack(held, decoder());
  return bytes.subarray(0, keptBytesMax).toString('utf8').replaceAll('\0', '\ufffd');
}

async function unpack(held: Buffer, decoder: NodeJS.ReadWriteStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const unpacked = Readable.from([held]).pipe(decoder) as unknown as Readable;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= keptBytesMax) break;
    }
  } catch {
    // Cut off, or not what it says it is: what was read up to there is kept.
  }
  return Buffer.concat(chunks);
}
