import t from 'tap';
import { readFromApi } from '../../../src/cli/receipts/chain-source.js';

const source = { url: 'https://verify.example/api/v1', key: 'vf_key', projectId: null };
const head = { keys: [], heads: [], nextCursor: null };
const page = { chain: 'proj_1', keptSince: null, previous: { seq: 0, hash: '00' }, receipts: [], nextCursor: null };
const refused = (): Error => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:3000') });

/** A network on which each call has the next of these outcomes, and that notes the pauses. */
function createNetwork(outcomes: readonly (() => Response)[]) {
  const pauses: number[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  const left = [...outcomes];
  const fetch = async (_address: unknown, init?: RequestInit): Promise<Response> => {
    signals.push(init?.signal);
    const next = left.length > 1 ? left.shift() : left[0];
    if (next === undefined) throw new Error('nothing is left');
    return next();
  };
  return { network: { fetch, pause: async (ms: number) => void pauses.push(ms) }, pauses, signals };
}

const fail = (error: Error) => (): Response => {
  throw error;
};
const json = (body: object) => (): Response => new Response(JSON.stringify(body));

t.test('a call that the network or a balancer fails is repeated after a pause', async (t) => {
  const balancer = (): Response => new Response('', { status: 502 });
  const busy = (): Response => new Response('', { status: 429, headers: { 'retry-after': '3' } });
  const outcomes = [fail(refused()), balancer, busy, json(head), json(page)];
  const { network, pauses, signals } = createNetwork(outcomes);
  t.match(await readFromApi(source, network), { chain: 'proj_1' });
  t.same(pauses, [1_000, 1_000, 3_000]);
  t.ok(
    signals.every((signal) => signal instanceof AbortSignal),
    'none waits for ever',
  );
});

t.test('an address that refuses connections is given up after nine pauses, with a sentence', async (t) => {
  const { network, pauses } = createNetwork([fail(refused())]);
  await t.rejects(readFromApi(source, network), {
    message:
      /^https:.*\/heads\S* cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:3000\. Check --url and the network/,
  });
  t.equal(pauses.length, 9);
});

t.test('silence is given up with a sentence too', async (t) => {
  const { network } = createNetwork([
    fail(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
  ]);
  await t.rejects(readFromApi(source, network), { message: /cannot be reached: .*timeout\. Check --url/ });
});

t.test('a refusal is final', async (t) => {
  const { network, pauses } = createNetwork([() => new Response('no', { status: 401 })]);
  await t.rejects(readFromApi(source, network), { message: /answered 401: no$/ });
  t.same(pauses, []);
});
