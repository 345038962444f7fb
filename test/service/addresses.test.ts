/** Addresses of the service: the API root with its version, the key set under it, the bundles next to it. */
import t from 'tap';
import { startTestService } from '../helpers/service.js';

const { bootstrap } = await startTestService(t);
const { baseUrl, siteUrl } = bootstrap;

t.test('the API root ends in its version, and the key set lies under it and not at the host’s root', async (t) => {
  t.equal(baseUrl, `${siteUrl}/api/v1`);
  const answer = await fetch(`${baseUrl}/.well-known/jwks.json`);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('cache-control'), /max-age=3600/, 'an hour');
  t.equal(answer.headers.get('access-control-allow-origin'), '*', 'a page reads it');
  const { keys } = (await answer.json()) as { readonly keys: readonly object[] };
  t.ok(keys.length > 0);
  for (const key of keys) {
    t.match(key, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', kid: String, x: /^[\w-]{43}$/ });
    t.notOk('d' in key, 'nothing private');
  }
  t.equal((await fetch(`${siteUrl}/.well-known/jwks.json`)).status, 404);
});

t.test('the document, its page and the bundles are where the contract says', async (t) => {
  for (const [url, type] of [
    [`${baseUrl}/openapi.json`, /json/],
    [`${baseUrl}/docs`, /html/],
    [`${siteUrl}/sdk/v1/verifyhuman.umd.js`, /javascript/],
    [`${siteUrl}/sdk/lite/v1/vh-lite.iife.js`, /javascript/],
  ] as const) {
    const answer = await fetch(url);
    t.equal(answer.status, 200, url);
    t.match(answer.headers.get('content-type'), type, url);
    await answer.arrayBuffer();
  }
});
