/** The price of sessions for an address that makes many. */
import t, { type Test } from 'tap';
import { solveProof } from '../../sdk/widget/proof.js';
import type { RequiredProof, SolvedProof } from '../../src/contract/session-proof.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(120_000);
const hourMs = 3_600_000;
/** From the beginning of an hour on, so that none ends meanwhile. */
let aheadMs = hourMs - (Date.now() % hourMs);
const startService = (t: Test, perAddress: string) =>
  startTestService(
    t,
    { VH_PUBLIC_PER_ADDRESS: perAddress, VH_PUBLIC_PER_MINUTE: '0', VH_TRUSTED_PROXIES: '127.0.0.1' },
    { now: () => Date.now() + aheadMs },
  );
const service = await startService(t, '60');
const { projectKey } = service.bootstrap;
const free = 30;

const start = (
  address: string,
  proof?: SolvedProof,
  at: Pick<typeof service, 'call'> & { readonly bootstrap: { readonly siteKey: string } } = service,
  mode = '',
) =>
  at.call('POST', '/public/sessions', {
    body: { siteKey: `${at.bootstrap.siteKey}${mode}`, ...(proof && { proof }) },
    headers: { 'x-forwarded-for': address },
  });
const solve = (proof: RequiredProof) => solveProof(proof, new AbortController().signal);
/** Uses up what an address may have for nothing, and gets its first puzzle. */
async function exhaust(address: string): Promise<RequiredProof> {
  for (let n = 0; n < free; n += 1) t.equal((await start(address)).status, 201);
  const asked = await start(address);
  t.match(asked, { status: 428, body: { code: 'PROOF_REQUIRED', proof: { algorithm: 'sha-256', count: 8 } } });
  const { proof } = asked.body as { readonly proof: RequiredProof };
  return proof;
}
const results = async (): Promise<Record<string, number>> => {
  const text = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^vh_session_proofs_total\{result="(\w+)"\} (\d+)/gm)].map(([, name = '', count]) => [
      name,
      Number(count),
    ]),
  );
};

t.test('an address with many sessions pays for each, with a proof that is good once', async (t) => {
  const proof = await exhaust('81.2.69.1');
  t.equal(proof.difficulty, 14);
  const solved = await solve(proof);
  t.equal((await start('81.2.69.1', { ...solved, solution: solved.solution.map(() => 0) })).status, 428, 'no work');
  t.equal((await start('81.2.69.1', solved, service, ':test')).status, 428, 'for another site key');
  t.equal((await start('81.2.69.1', solved)).status, 201);
  t.equal((await start('81.2.69.1', solved)).status, 428, 'spent');
  t.equal((await start('81.2.69.2')).status, 201, 'another address has its own count');
  const session = await service.call('POST', '/sessions', {
    body: {},
    headers: { 'x-api-key': projectKey, 'x-forwarded-for': '81.2.69.1' },
  });
  t.equal(session.status, 201, 'a backend never pays');
  t.match(await results(), { solved: 2, refused: 3 });
});

t.test('refused sessions take nothing off the sessions of their address, nor do they raise the price', async (t) => {
  const address = '81.2.69.7';
  const asked = await exhaust(address);
  const neighbor = await solve(asked);
  const spent = await solve(((await start(address)).body as { readonly proof: RequiredProof }).proof);
  t.equal((await start(address, spent)).status, 201);
  for (let n = 0; n < 60; n += 1) t.equal((await start(address)).status, 428, 'without a proof');
  for (let n = 0; n < 60; n += 1) t.equal((await start(address, spent)).status, 428, 'with a spent one');
  const other = { bootstrap: { siteKey: 'proj_unknown' }, call: service.call };
  for (let n = 0; n < 60; n += 1) t.equal((await start(address, undefined, other)).status, 404);
  t.match(await start(address), { status: 428, body: { proof: { difficulty: 14 } } });
  t.equal((await start(address, neighbor)).status, 201);
});

t.test('of two sessions with one proof at once, one is made', async (t) => {
  const solved = await solve(await exhaust('81.2.69.3'));
  const made = await Promise.all([start('81.2.69.3', solved), start('81.2.69.3', solved)]);
  t.same(made.map(({ status }) => status).sort(), [201, 428]);
});

t.test('a proof is of its address, and not for long', async (t) => {
  const solved = await solve(await exhaust('2001:4860:0:1::1'));
  const others = await solve(await exhaust('2001:4860:0:2::1'));
  t.equal((await start('2001:4860:0:1::2', others)).status, 428);
  t.equal((await start('2001:4860:0:1::2', solved)).status, 201, 'another address of the /64 is the same');
  aheadMs += 121_000;
  t.equal((await start('2001:4860:0:2::1', others)).status, 428);
});

t.test('the price rises in steps, to a bound, and is gone in the next hour', async (t) => {
  const small = await startService(t, '4');
  const difficulties: number[] = [];
  for (let n = 0; n < 18; n += 1) {
    if (n % 3 === 0) aheadMs += 60_000;
    const asked = await start('81.2.69.5', undefined, small);
    if (n < 2) t.equal(asked.status, 201);
    else {
      const { proof } = asked.body as { readonly proof: RequiredProof };
      difficulties.push(proof.difficulty);
      t.equal((await start('81.2.69.5', await solve(proof), small)).status, 201);
    }
  }
  t.same(
    difficulties,
    [14, 14, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16, 16, 16, 17, 17],
    'it doubles with the sessions',
  );
  aheadMs += hourMs;
  t.equal((await start('81.2.69.5', undefined, small)).status, 201);
});

t.test('addresses of a network’s inside are nobody’s own, and pay nothing', async (t) => {
  for (let n = 0; n < 2 * free; n += 1) t.equal((await start('10.0.0.1')).status, 201);
});

t.test('a creation that is refused costs neither a free session nor a proof', async (t) => {
  const wrong = { metadata: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, 'x'.repeat(1_000)])) };
  const send = (body: object) =>
    service.call('POST', '/public/sessions', {
      body: { siteKey: service.bootstrap.siteKey, ...body },
      headers: { 'x-forwarded-for': '81.2.69.77' },
    });
  for (let n = 0; n < free; n += 1) t.equal((await send(wrong)).status, 400);
  const solved = await solve(await exhaust('81.2.69.77'));
  t.equal((await send({ ...wrong, proof: solved })).status, 400);
  t.equal((await send({ proof: solved })).status, 201, 'the proof still pays for a session');
});
