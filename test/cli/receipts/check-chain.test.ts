import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { checkChain, type ChainExport } from '../../../src/cli/receipts/check-chain.js';
import { excerptOf } from '../../../src/cli/receipts/excerpt.js';
import type { ChainedReceipt } from '../../../src/contract/receipt-chain.js';
import { makeId } from '../../../src/crypto/ids.js';
import { digestOf, nextHash } from '../../../src/record/chain.js';
import { joinParts } from '../../../src/record/codec.js';
import { openFacts, packOutcome, packSealed, openSealed } from '../../../src/record/record.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { presentRules, scoredEntry, signDay, signer, wholeExport } from '../../helpers/receipt-chain.js';

const database = await openTestDatabase(t);
const record = createReceiptRecorder(database);
const projectId = makeId('project');
const sessions = ['a', 'b', 'c', 'd', 'e'];
await record(await Promise.all(sessions.map((session) => scoredEntry({ projectId, session }))));
await signDay(database);
await record([await scoredEntry({ projectId, session: 'f' })]);
const { receipts: read, ...about } = await wholeExport(database, projectId);
const receipts: readonly ChainedReceipt[] = [...(read as readonly ChainedReceipt[])];
const check = (changed: readonly ChainedReceipt[], over: Partial<ChainExport> = {}) =>
  checkChain({ ...about, ...over, receipts: changed }, presentRules);

/** One who can write the database, but has no key, computes digests and hashes again. */
function chainAgain(changed: readonly ChainedReceipt[]): readonly ChainedReceipt[] {
  let hash = Buffer.from(about.previous.hash, 'hex');
  return changed.map((receipt, index) => {
    const [salt, content] = [receipt.salt, receipt.record].map((text) => Buffer.from(text ?? '', 'base64'));
    const digest =
      receipt.record === null ? Buffer.from(receipt.digest, 'hex') : digestOf(salt ?? hash, content ?? hash);
    hash = Buffer.from(nextHash(hash, digest));
    return { ...receipt, seq: index + 1, digest: Buffer.from(digest).toString('hex'), hash: hash.toString('hex') };
  });
}

/** The record of the third with the score of an honest person, under the facts of somebody else. */
async function forgeThird(isSigned: boolean): Promise<readonly ChainedReceipt[]> {
  const third = receipts[2];
  if (third === undefined) throw new Error('there are six');
  const packed = Buffer.from(third.record ?? '', 'base64');
  const facts = openFacts(packed);
  const verdict = presentRules.judge(facts);
  const length = packOutcome(verdict, facts).length;
  const forged = joinParts(packed.subarray(0, packed.length - length), packOutcome({ ...verdict, score: 99 }, facts));
  const { seal } = isSigned
    ? openSealed(packSealed(forged, await signer.seal(forged)))
    : { seal: Buffer.from(third.seal ?? '', 'base64') };
  const content = { record: Buffer.from(forged).toString('base64'), seal: Buffer.from(seal).toString('base64') };
  return receipts.map((receipt) => (receipt === third ? { ...third, ...content } : receipt));
}

t.test('an unchanged chain verifies, with its head and every outcome computed again', async (t) => {
  t.match(await check(receipts), { first: 1, last: 6, recorded: 6, recomputed: 6, heads: 1, otherRules: {} });
});

t.test('receipts of other rules verify, and are counted as not computed again', async (t) => {
  const other = { ...presentRules, modelVersion: 'other' };
  const summary = await checkChain({ ...about, receipts }, other);
  t.match(summary, { recomputed: 0, otherRules: { [presentRules.modelVersion]: 6 } });
});

t.test('a changed score is found: by its digest, by its signature, and if that is right by its facts', async (t) => {
  const unsigned = await forgeThird(false);
  await t.rejects(check(unsigned), /number 3 \(rcpt_.*content was changed/);
  await t.rejects(check(chainAgain(unsigned), { heads: [] }), /number 3 .*signature does not hold/);
  await t.rejects(
    check(chainAgain(await forgeThird(true)), { heads: [] }),
    /number 3 .*another outcome than the recorded score of 99/,
  );
});

t.test(
  'a removed receipt is found: as a gap, as one without content, and if all is computed again by the head',
  async (t) => {
    const without = receipts.filter(({ seq }) => seq !== 4);
    await t.rejects(check(without), /number 5 .* follows number 3/);
    await t.rejects(check(chainAgain(without)), /Number 5 is not the receipt that the head/);
    const gone = { record: null, seal: null, salt: null };
    const emptied = (state: ChainedReceipt['state'], receiptId: string | null | undefined) =>
      receipts.map((receipt) =>
        receipt.seq === 4 ? { ...receipt, ...gone, state, ...(receiptId === undefined ? {} : { receiptId }) } : receipt,
      );
    await t.rejects(check(emptied('missing', undefined)), /number 4 .*was removed/);
    await t.rejects(check(emptied('expired', undefined)), /number 4 .*was removed/, 'it is too young for that');
    t.match(await check(emptied('erased', null)), { erased: 1, recorded: 5 });
    await t.rejects(check(receipts.slice(0, 3)), /ends at number 3, before number 5 of the head/);
  },
);

t.test('a swapped order is found', async (t) => {
  const [first, second, ...rest] = receipts;
  if (first === undefined || second === undefined) throw new Error('there are six');
  const swapped = [{ ...second, seq: 1 }, { ...first, seq: 2 }, ...rest];
  await t.rejects(check(swapped), /number 1 .*hash does not follow/);
  await t.rejects(check(chainAgain(swapped)), /Number 5 is not the receipt that the head/);
});

t.test('a forged head is found', async (t) => {
  const [head] = about.heads;
  if (head === undefined) throw new Error('a day is signed');
  for (const heads of [
    [{ ...head, seq: 4 }],
    [{ ...head, jws: `${head.jws.slice(0, -4)}AAAA` }],
    [{ ...head, hash: '0'.repeat(64) }],
  ])
    await t.rejects(check(receipts, { heads }), /The head of .* is not signed/);
  await t.rejects(check(receipts, { keys: [] }), /The head of .* is not signed/, 'nor by a key that is not known');
  await t.rejects(check(receipts, { heads: [], keys: [] }), /number 1 .*unknown key/);
});

t.test('receipts of another chain are none of this one', async (t) => {
  const start = { ...about.previous, hash: '0'.repeat(64) };
  await t.rejects(check(receipts, { previous: start }), /does not begin at its start/);
  const { receipts: others } = await (async () => {
    const other = makeId('project');
    await record([await scoredEntry({ projectId: other, session: 'x' })]);
    return wholeExport(database, other);
  })();
  const foreign = chainAgain([...(others as readonly ChainedReceipt[]), ...receipts.slice(1)]);
  await t.rejects(check(foreign, { heads: [] }), /number 1 .*content is that of another/);
});

t.test('a key that goes by the name of another is refused, though all is signed with it', async (t) => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const keys = about.keys.map((key) => ({ ...key, x }));
  await t.rejects(check(receipts, { keys, heads: [] }), /key receipts-.* is not the key of that name/);
});

t.test('an excerpt shows one receipt, and hides the others without breaking the chain to the next head', async (t) => {
  const [first, second, third, , , last] = receipts;
  const excerpt = await excerptOf(third?.receiptId ?? '', { ...about, receipts });
  const excerpted = [...(excerpt.receipts as readonly ChainedReceipt[])];
  t.match(await checkChain(excerpt, presentRules), {
    ...{ first: 1, last: 5, recorded: 1, recomputed: 1, withheld: 4, heads: 1, shown: { sessionId: 'c' } },
  });
  for (const other of [first, second])
    for (const part of [other?.receiptId, other?.record, other?.salt, other?.seal])
      t.notOk(JSON.stringify({ ...excerpt, excerpted }).includes(String(part)), 'nothing of the others');
  const changed = excerpted.map((each) => (each.seq === 2 ? { ...each, digest: '0'.repeat(64) } : each));
  await t.rejects(checkChain({ ...excerpt, receipts: changed }, presentRules), /number 2: its hash does not follow/);
  const young = await excerptOf(last?.receiptId ?? '', { ...about, receipts });
  t.match(await checkChain(young, presentRules), { first: 6, last: 6, recorded: 1, withheld: 0, heads: 1 });
  await t.rejects(excerptOf(makeId('receipt'), { ...about, receipts }), /has no content of the receipt/);
});
