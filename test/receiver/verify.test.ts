import t from 'tap';
import { verifyWebhook } from '../../src/receiver/verify.js';
import { signedHeaders } from '../../src/webhooks/signing.js';

const secret = 'ab'.repeat(32);
const body = '{"event":"verification.completed","data":{"text":"Grüße"}}';
const nowMs = 1_800_000_000_000;
const nowSeconds = nowMs / 1_000;
const message = {
  event: 'verification.completed',
  sessionId: 'sess_1',
  messageId: 'evt_1_whk_1',
  attempt: 2,
  body,
} as const;
const headers = signedHeaders(message, { current: secret, previous: null }, nowMs);
const only = (prefix: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));

t.test('what the service signed is verified, as text, as bytes and by one of several secrets', (t) => {
  t.same(verifyWebhook({ secret, headers, body, nowSeconds }), {
    valid: true,
    attempt: 2,
    event: 'verification.completed',
    dedupeKey: 'evt_1_whk_1',
  });
  t.equal(verifyWebhook({ secret, headers: only('webhook-'), body: Buffer.from(body), nowSeconds }).valid, true);
  t.equal(verifyWebhook({ secret: ['other', secret], headers, body, nowSeconds }).valid, true);
  t.end();
});

t.test('nothing that a verdict says comes from a header that is not signed, but the attempt', (t) => {
  const forged = { 'x-service-event': 'verification.failed', 'x-service-idempotency-key': 'sess_2' };
  t.match(verifyWebhook({ secret, headers: { ...headers, ...forged }, body, nowSeconds }), {
    event: 'verification.completed',
    dedupeKey: 'evt_1_whk_1',
  });
  const renamed = { ...headers, 'webhook-id': 'evt_forged' };
  t.match(verifyWebhook({ secret, headers: renamed, body, nowSeconds }), { reason: 'WRONG_SIGNATURE' });
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    t.match(verifyWebhook({ secret, headers: { ...headers, [name]: undefined }, body, nowSeconds }), {
      reason: 'MISSING_HEADERS',
    });
  t.match(verifyWebhook({ secret, headers: { ...headers, 'x-service-attempt': 'x' }, body, nowSeconds }), {
    attempt: 1,
  });
  t.end();
});

t.test('a mistake of the receiver throws a sentence, and none switches a check off', (t) => {
  const throws = (change: object, message: RegExp) =>
    t.throws(() => verifyWebhook({ secret, headers, body, nowSeconds, ...change }), { name: 'TypeError', message });
  for (const wrong of ['', undefined, null, [], [secret, undefined], 7]) throws({ secret: wrong }, /the secret/);
  for (const wrong of [Number.NaN, -1, Infinity, '300', null]) throws({ toleranceSeconds: wrong }, /toleranceSeconds/);
  for (const wrong of [Number.NaN, '1']) throws({ nowSeconds: wrong }, /nowSeconds/);
  throws({ tolerance: 60 }, /"tolerance".*toleranceSeconds/);
  throws({ headers: undefined }, /headers/);
  t.equal(verifyWebhook({ secret: [secret, ''], headers, body, nowSeconds, toleranceSeconds: 0 }).valid, true);
  const unkeyed = signedHeaders(message, { current: '', previous: null }, nowMs);
  t.match(verifyWebhook({ secret: [secret, ''], headers: unkeyed, body, nowSeconds }), { reason: 'WRONG_SIGNATURE' });
  t.end();
});

t.test('a signed body that is no webhook has no event', (t) => {
  for (const other of ['null', '[]', '{"event":1}', 'text']) {
    const signed = signedHeaders({ ...message, body: other }, { current: secret, previous: null }, nowMs);
    t.match(verifyWebhook({ secret, headers: signed, body: other, nowSeconds }), { valid: true, event: '' });
  }
  t.end();
});

t.test('anything changed is refused, and why is told', (t) => {
  const reason = (change: object): string => {
    const verdict = verifyWebhook({ secret, headers, body, nowSeconds, ...change });
    return verdict.valid ? 'valid' : verdict.reason;
  };
  t.equal(reason({ body: body.replace('ü', 'u') }), 'WRONG_SIGNATURE');
  t.equal(reason({ secret: 'cd'.repeat(32) }), 'WRONG_SIGNATURE');
  t.equal(reason({ headers: { ...headers, 'webhook-signature': 'v1,AA==' } }), 'WRONG_SIGNATURE');
  t.equal(reason({ headers: { ...headers, 'webhook-timestamp': String(nowSeconds + 1) } }), 'WRONG_SIGNATURE');
  t.equal(reason({ nowSeconds: nowSeconds + 301 }), 'STALE_TIMESTAMP');
  t.equal(reason({ nowSeconds: nowSeconds - 301 }), 'STALE_TIMESTAMP');
  t.equal(reason({ nowSeconds: nowSeconds + 299 }), 'valid');
  t.equal(reason({ headers: { ...headers, 'webhook-timestamp': 'soon' } }), 'STALE_TIMESTAMP');
  t.equal(reason({ headers: {} }), 'MISSING_HEADERS');
  t.end();
});

t.test('the Headers of a fetch request are read as well, and a parsed body is named', (t) => {
  t.equal(verifyWebhook({ secret, headers: new Headers(headers), body, nowSeconds }).valid, true);
  t.match(verifyWebhook({ secret, headers: new Headers(), body, nowSeconds }), { reason: 'MISSING_HEADERS' });
  const parsed = JSON.parse(body) as string;
  t.throws(() => verifyWebhook({ secret, headers, body: parsed, nowSeconds }), {
    message: /needs the body as it came/,
  });
  t.end();
});

t.test('while a secret is replaced with an overlap, the old and the new one verify all headers of a delivery', (t) => {
  const [current, previous] = ['12'.repeat(32), secret];
  const rotated = signedHeaders(message, { current, previous }, nowMs);
  for (const held of [previous, current, [current, previous]])
    t.equal(verifyWebhook({ secret: held, headers: rotated, body, nowSeconds }).valid, true);
  const ended = signedHeaders(message, { current, previous: null }, nowMs);
  t.match(verifyWebhook({ secret: previous, headers: ended, body, nowSeconds }), { reason: 'WRONG_SIGNATURE' });
  t.end();
});
