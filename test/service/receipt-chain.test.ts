import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { ChainedReceipt, ReceiptChainPage, ReceiptHeadPage } from '../../src/contract/receipt-chain.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startOrganizations } from '../helpers/organizations.js';
import { repositoryPath } from '../helpers/repository.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials } = await startOrganizations(t);
const { bootstrap } = service;
const score = (sessionId: string, headers = credentials.projectKey) =>
  service.call('POST', '/lite/score', { body: { clientIp: '127.0.0.1', sessionId }, headers });
const read = <Page>(path: string, headers = credentials.projectKey) =>
  service.call('GET', `/lite/receipts${path}`, { headers }) as Promise<{ status: number; body: Page }>;

for (const session of ['chain-1', 'chain-2', 'chain-3']) await score(session);
await score('of-a-test-key', credentials.testKey);
const isRecorded = async (): Promise<boolean> =>
  (await read<ReceiptChainPage>('')).body.receipts.length >= 3 &&
  (await read<ReceiptChainPage>('', credentials.testKey)).body.receipts.length >= 1;
await waitUntil(isRecorded, 'receipts are recorded');

t.test('a key reads the chain of its project and mode, page by page', async (t) => {
  const { body: whole } = await read<ReceiptChainPage>('');
  t.match(whole, { chain: bootstrap.projectId, keptSince: null, previous: { seq: 0 }, nextCursor: null });
  const pages: ChainedReceipt[] = [];
  let cursor: string | null = null;
  do {
    const page: { body: ReceiptChainPage } = await read(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
    t.equal(page.body.previous.seq, pages.length);
    pages.push(...page.body.receipts);
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  t.same(pages, whole.receipts);
  const { body: test } = await read<ReceiptChainPage>('', credentials.testKey);
  t.match(test, { chain: `${bootstrap.projectId}~test` });
  t.equal((await read('?cursor=bm9uZQ')).status, 400);
});

t.test('heads come with the keys that verify them', async (t) => {
  const { body } = await read<ReceiptHeadPage>('/heads');
  t.match(body, { heads: [], keys: [{ kty: 'OKP', crv: 'Ed25519', kid: /^receipts-/ }], nextCursor: null });
  t.equal((await read('/heads?cursor=bm9uZQ')).status, 400);
});

t.test(
  'the command verifies a chain through the API and from its export, and names the receipt that was changed',
  async (t) => {
    const file = join(temporaryDirectory(t), 'receipts.jsonl');
    const key = credentials.projectKey['x-api-key'] ?? '';
    const online = await verify(['--url', bootstrap.baseUrl, '--key', key, '--export', file]);
    t.match(online, { code: 0, stderr: '' });
    t.match(online.stdout, new RegExp(`The chain ${bootstrap.projectId} verifies, from number 1 to`));
    t.match(online.stdout, /recomputed: \d+ receipts with the same outcome/);
    const offline = await verify([file, '--kept', file]);
    t.same(offline, online);
    const excerpt = join(temporaryDirectory(t), 'receipt.jsonl');
    const [, wanted] = (await read<ReceiptChainPage>('')).body.receipts;
    const args = ['--receipt', wanted?.receiptId ?? '', '--export', excerpt];
    const shown = await verify([file, ...args]);
    t.match(shown, { code: 0, stdout: /session chain-\d of .*, score \d+, (allow|review|block)\n/ });
    t.match(shown.stdout, /signatures: 1 receipt, .*\n(.*\n)+without content: 0 erased, 0 expired, \d+ withheld/);
    t.same(await verify([excerpt]), shown);
    t.same(await verify(['--url', bootstrap.baseUrl, '--key', key, ...args]), shown);

    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const second = JSON.parse(lines[2] ?? '') as ChainedReceipt;
    const content = Buffer.from(second.record ?? '', 'base64');
    content.writeUInt8((content.at(-1) ?? 0) ^ 1, content.length - 1);
    lines[2] = JSON.stringify({ ...second, record: content.toString('base64') });
    writeFileSync(file, lines.join('\n'));
    const { code, stderr } = await verify([file]);
    t.equal(code, 3);
    t.equal(stderr, `Receipt number 2 (${second.receiptId}): its content was changed after it was recorded.\n`);
  },
);

t.test('an export takes the place of the kept one that it was compared with only if all verifies', async (t) => {
  const file = join(temporaryDirectory(t), 'receipts.jsonl');
  const online = ['--url', bootstrap.baseUrl, '--key', credentials.projectKey['x-api-key'] ?? ''];
  const both = [...online, '--kept', file, '--export', file];
  t.match(await verify([...online, '--export', file]), { code: 0 });
  const [first = '', ...receipts] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const about = JSON.parse(first) as object;

  const other = JSON.stringify({ ...about, chain: 'proj_other' });
  writeFileSync(file, other);
  t.match(await verify(both), { code: 2, stderr: /The kept export is of the chain proj_other/ });
  t.equal(readFileSync(file, 'utf8'), other);

  writeFileSync(file, first);
  t.match(await verify(both), { code: 0 });
  t.same(readFileSync(file, 'utf8').trimEnd().split('\n'), [first, ...receipts]);
  t.match(await verify([file, '--export', file]), { code: 0 }, 'nor is it read while it is written');
  t.same(readdirSync(dirname(file)), ['receipts.jsonl']);
});

t.test('the command ends with 2 and says what to do where it cannot read', async (t) => {
  t.match(await verify([]), { code: 2, stderr: /It is written\n {2}verify-receipts --url/ });
  t.match(await verify(['--nope']), { code: 2, stderr: /--nope/ });
  t.match(await verify([repositoryPath('package.json')]), { code: 2, stderr: /no JSON|no export/ });
  t.match(await verify(['no-such-file']), { code: 2, stderr: /no-such-file/ });
  const refused = await verify(['--url', bootstrap.baseUrl, '--key', 'none']);
  t.match(refused, { code: 2, stderr: /answered 401/ });
});

function verify(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = repositoryPath('dist/src/cli/verify-receipts.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
