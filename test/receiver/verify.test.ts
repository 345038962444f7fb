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

t.test('what the service signed is verified, by either set of headers', (t) => {
  t.same(verifyWebhook({ secret, headers, body, nowSeconds }), {
    valid: true,
    attempt: 2,
    event: 'verification.completed',
    dedupeKey: 'evt_1_whk_1',
  });
  t.equal(verifyWebhook({ secret, headers: only('x-service-'), body: Buffer.from(body), nowSeconds }).valid, true);
  t.equal(verifyWebhook({ secret, headers: only('webhook-'), body, nowSeconds }).valid, true);
  t.equal(verifyWebhook({ secret: ['other', secret], headers, body, nowSeconds }).valid, true);
  t.end();
});

t.test('anything changed is refused, and why is told', (t) => {
  const reason = (change: object): string => {
    const verdict = verifyWebhook({ secret, headers, body, nowSeconds, ...change });
    return verdict.valid ? 'valid' : verdict.reason;
  };
  t.equal(reason({ body: body.replace('ü', 'u') }), 'WRONG_SIGNATURE');
  t.equal(reason({ secret: 'cd'.repeat(32) }), 'WRONG_SIGNATURE');
  t.equal(reason({ headers: { ...headers, 'x-service-signature': 'sha256=00' } }), 'WRONG_SIGNATURE');
  t.equal(reason({ headers: { ...headers, 'x-service-timestamp': String(nowSeconds + 1) } }), 'WRONG_SIGNATURE');
  t.equal(reason({ headers: { ...only('webhook-'), 'webhook-id': 'evt_2' } }), 'WRONG_SIGNATURE');
  t.equal(reason({ nowSeconds: nowSeconds + 301 }), 'STALE_TIMESTAMP');
  t.equal(reason({ nowSeconds: nowSeconds - 301 }), 'STALE_TIMESTAMP');
  t.equal(reason({ nowSeconds: nowSeconds + 299 }), 'valid');
  t.equal(reason({ headers: { ...headers, 'x-service-timestamp': 'soon' } }), 'STALE_TIMESTAMP');
  t.equal(reason({ headers: {} }), 'MISSING_HEADERS');
  t.throws(() => verifyWebhook({ secret: '', headers, body }), TypeError);
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

t.test(
  'while a secret is replaced with an overlap the old one verifies the additional header, never the other',
  (t) => {
    const [current, previous] = ['12'.repeat(32), secret];
    const rotated = signedHeaders(message, { current, previous }, nowMs);
    const pick = (prefix: string) =>
      Object.fromEntries(Object.entries(rotated).filter(([name]) => name.startsWith(prefix)));
    t.equal(verifyWebhook({ secret: previous, headers: pick('webhook-'), body, nowSeconds }).valid, true);
    t.equal(verifyWebhook({ secret: previous, headers: pick('x-service-'), body, nowSeconds }).valid, false);
    t.equal(verifyWebhook({ secret: current, headers: pick('webhook-'), body, nowSeconds }).valid, true);
    t.end();
  },
);
