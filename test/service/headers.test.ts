import t from 'tap';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
const { siteUrl, baseUrl } = service.bootstrap;
const addresses = [
  ...[`${baseUrl}/openapi.json`, `${baseUrl}/.well-known/jwks.json`, `${baseUrl}/lite/sessions`, `${baseUrl}/nothing`],
  ...[`${siteUrl}/`, `${siteUrl}/docs/`, `${siteUrl}/console`, `${siteUrl}/sdk/lite/v1/vh-lite.iife.js`],
];

for (const address of addresses)
  t.test(`${new URL(address).pathname} names its type with a character set, and no software`, async (t) => {
    const { headers } = await fetch(address);
    t.match(headers.get('content-type'), /^(?:application\/[a-z+-]+|text\/[a-z]+);\s?charset=utf-8$/i);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    for (const name of ['server', 'x-powered-by', 'via']) t.equal(headers.get(name), null, name);
  });
