/**
 * A chain of receipts to verify: from the API page by page, or from a file that an earlier run wrote. A file has one line of JSON about the chain, and
 * one for each receipt. Reading fails with a sentence that says what to do.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiptChainPage, ReceiptHead, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import { pageMax } from '../../limits.js';
import type { ChainExport, ExportedReceipt } from './check-chain.js';

export interface ApiSource {
  /** The root of the API. */
  readonly url: string;
  readonly key: string;
  /** For a key of an organization. */
  readonly projectId: string | null;
}

const triesMax = 10;
const pauseMs = 1_000;

export async function readFromApi(source: ApiSource): Promise<ChainExport> {
  const heads: ReceiptHead[] = [];
  const read = <Page>(path: string, cursor: string | null) => readPage<Page>(source, path, cursor);
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

/** A call that comes too soon, or to an instance that restarts, is repeated. */
async function readPage<Page>({ url, key, projectId }: ApiSource, path: string, cursor: string | null): Promise<Page> {
  const query = new URLSearchParams({ limit: String(pageMax) });
  if (projectId !== null) query.set('projectId', projectId);
  if (cursor !== null) query.set('cursor', cursor);
  const address = `${url.replace(/\/$/, '')}${path}?${query.toString()}`;
  for (let tries = 1; ; tries += 1) {
    const reply = await fetch(address, { headers: { 'x-api-key': key } });
    if (reply.ok) return (await reply.json()) as Page;
    if ((reply.status !== 429 && reply.status !== 503) || tries === triesMax)
      throw new Error(`${address} answered ${reply.status}: ${await reply.text()}`);
    await pause(Number(reply.headers.get('retry-after') ?? 1) * pauseMs);
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

/** Writes each receipt to a file as it is taken. */
export function exportTo(path: string, { receipts, ...about }: ChainExport): ChainExport {
  const file = openSync(path, 'w', 0o600);
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
