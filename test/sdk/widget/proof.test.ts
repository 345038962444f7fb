/** The work that a session may cost. */
import { createHash, randomBytes } from 'node:crypto';
import t from 'tap';
import type { Reply } from '../../../sdk/widget/http.js';
import { payWithWork, solveProof } from '../../../sdk/widget/proof.js';
import type { SolvedProof } from '../../../src/contract/session-proof.js';

const difficulty = 8;
const replyOf = (status: number, body: object): Reply => ({ kind: 'reply', status, body, etag: null, repeated: false });
const { signal } = new AbortController();

/** Answers the first `asks` calls with a puzzle; returns what was sent. */
async function pay(asks: number) {
  const sent: (SolvedProof | undefined)[] = [];
  const tokens: string[] = [];
  const answer = await payWithWork(async (body) => {
    sent.push(body?.proof);
    if (sent.length > asks) return replyOf(201, { sessionId: 'sess_1' });
    const token = randomBytes(48).toString('base64url');
    tokens.push(token);
    const proof = { algorithm: 'sha-256', token, difficulty, count: 8, expiresAt: 0 };
    return replyOf(428, { code: 'PROOF_REQUIRED', proof });
  }, signal);
  return { answer, sent, tokens };
}

t.test('a session that costs work is paid for', async (t) => {
  const { answer, sent, tokens } = await pay(1);
  t.match(answer, { kind: 'reply', status: 201 });
  t.equal(sent.length, 2);
  t.equal(sent[0], undefined);
  const { token, solution } = sent[1] ?? { token: '', solution: [] };
  t.equal(token, tokens[0]);
  t.equal(solution.length, 8);
  const seed = Buffer.from(token, 'base64url').subarray(-32);
  for (const [index, number] of solution.entries()) {
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(index);
    numbers.writeUInt32BE(number, 4);
    const digest = createHash('sha256').update(seed).update(numbers).digest();
    t.ok(Math.clz32(digest.readUInt32BE()) >= difficulty);
  }
});

t.test('a proof that a lost answer used up is followed by another, and not for ever', async (t) => {
  t.match((await pay(2)).answer, { status: 201 });
  const { answer, sent } = await pay(Infinity);
  t.match(answer, { kind: 'reply', status: 428 });
  t.equal(sent.length, 4);
});

t.test('the page’s own work goes on meanwhile, and calling off ends the puzzle', async (t) => {
  const abort = new AbortController();
  const token = randomBytes(48).toString('base64url');
  const solving = solveProof({ algorithm: 'sha-256', token, difficulty: 32, count: 8, expiresAt: 0 }, abort.signal);
  setTimeout(() => abort.abort(new Error('called off')), 50);
  await t.rejects(solving, { message: 'called off' });
});
