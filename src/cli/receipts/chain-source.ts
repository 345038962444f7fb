/**
 * A chain of receipts to verify: from the API page by page, or from a file that an earlier run wrote. A file has one line of JSON about the chain, and
 * one for each receipt. Reading fails with a sentence that says what to do.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiptChainPage, ReceiptHead, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import { pageMax } from '../../limits.js';
import { causeOf } from '../../stores/store-report.js';
import type { ChainExport, ExportedReceipt } from './check-chain.js';

export interface ApiSource {
  /** The root of the API. */
  readonly url: string;
  readonly key: string;
  /** For a key of an organization. */
  readonly projectId: string | null;
}

/** A service that refuses connections is given up after 9 seconds, one that is silent after 5 minutes. */
const triesMax = 10;
const pauseMs = 1_000;
const silenceMsMax = 30_000;
const passingStatuses = [429, 502, 503, 504];

interface Network {
  readonly fetch: typeof globalThis.fetch;
  readonly pause: (ms: number) => Promise<unknown>;
}

export async function readFromApi(
  source: ApiSource,
  network: Network = { fetch: globalThis.fetch, pause },
): Promise<ChainExport> {
  const heads: ReceiptHead[] = [];
  const read = <Page>(path: string, cursor: string | null) => readPage<Page>(source, path, cursor, network);
  let page = await read<ReceiptHeadPage>('/lite/receipts/heads', null);
  const { keys } = page;
  heads.push(...page.heads);
  while (page.nextCursor !== null) {
    page = await read<ReceiptHeadPage>('/lite/receipts/heads', page.nextCursor);
    heads.push(...page.heads);
  }
  const first = await read<ReceiptChainPage>('/lite/receipts', null);
  const { chain, keptSince, previous } = first;
  const receipts = async function* (): AsyncGenerator<ExportedReceipt> {
    let next = first;
    yield* next.receipts;
    while (next.nextCursor !== null) {
      next = await read<ReceiptChainPage>('/lite/receipts', next.nextCursor);
      yield* next.receipts;
    }
  };
  return { chain, keptSince, previous, keys, heads, receipts: receipts() };
}

/** A call that comes too soon, to an instance that restarts, or over a network that fails is repeated. */
async function readPage<Page>(
  { url, key, projectId }: ApiSource,
  path: string,
  cursor: string | null,
  network: Network,
): Promise<Page> {
  const query = new URLSearchParams({ limit: String(pageMax) });
  if (projectId !== null) query.set('projectId', projectId);
  if (cursor !== null) query.set('cursor', cursor);
  const address = `${url.replace(/\/$/, '')}${path}?${query.toString()}`;
  for (let tries = 1; ; tries += 1) {
    const { status, body, retryAfter } = await ask(address, key, network);
    if (status === 200) return JSON.parse(body) as Page;
    if (tries === triesMax || (status !== null && !passingStatuses.includes(status)))
      throw new Error(
        status === null
          ? `${address} cannot be reached: ${body}. Check --url and the network, then run the command again.`
          : `${address} answered ${status}: ${body}`,
      );
    await network.pause((Number(retryAfter) || 1) * pauseMs);
  }
}

interface Answer {
  /** null: there was no answer, and `body` says why. */
  readonly status: number | null;
  readonly body: string;
  readonly retryAfter: string | null;
}

async function ask(address: string, key: string, network: Network): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(silenceMsMax);
    const reply = await network.fetch(address, { headers: { 'x-api-key': key }, signal });
    return { status: reply.status, body: await reply.text(), retryAfter: reply.headers.get('retry-after') };
  } catch (error) {
    const { cause, message } = error as Error;
    return { status: null, body: cause instanceof Error ? causeOf(cause) : message, retryAfter: null };
  }
}

export async function readFromFile(path: string): Promise<ChainExport> {
  const lines = (await open(path)).readLines()[Symbol.asyncIterator]();
  const first = (await lines.next()) as IteratorResult<string, undefined>;
  const about = first.done === true ? null : (readLine(path, first.value) as Partial<ChainExport>);
  if (about?.chain === undefined || about.keys === undefined)
    throw new Error(`${path} is no export of receipts. Write one with --export.`);
  const receipts = async function* (): AsyncGenerator<ExportedReceipt> {
    for (let line = await lines.next(); line.done !== true; line = await lines.next())
      yield readLine(path, line.value) as ExportedReceipt;
  };
  return { ...(about as ChainExport), receipts: receipts() };
}

function readLine(path: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`${path} has a line that is no JSON. Write the export again.`, { cause: error });
  }
}

/** An export in the making has this behind its name, so that it takes the place of an earlier one only when all of it verified. */
export const partEnding = '.part';

/** Writes each receipt to a file as it is taken, under the name of a part. */
export function exportTo(path: string, { receipts, ...about }: ChainExport): ChainExport {
  const file = openSync(path + partEnding, 'w', 0o600);
  writeSync(file, `${JSON.stringify(about)}\n`);
  const written = async function* (): AsyncGenerator<ExportedReceipt> {
    try {
      for await (const receipt of receipts) {
        writeSync(file, `${JSON.stringify(receipt)}\n`);
        yield receipt;
      }
    } finally {
      closeSync(file);
    }
  };
  return { ...about, receipts: written() };
}
