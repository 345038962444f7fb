import t from 'tap';
import { Type } from 'typebox';
import { publicBodyBytesMax } from '../../src/limits.js';
import { makeKeyCaller } from '../helpers/key-caller.js';
import { createBareApp } from '../helpers/bare-app.js';

const caller = makeKeyCaller({ organizationId: 'org_a', projectId: 'proj_a', scopes: [] });

t.test('where anybody may send a body it is small, also under a key that only the handler checks', async (t) => {
  const app = createBareApp({
    findKey: async (secret) => (secret === 'vf_live_project' ? caller : null),
    accessLog: false,
  });
  const body = Type.Object({});
  const keyed = { credential: 'api-key', modes: ['live'] } as const;
  app.post('/resource', { config: { access: { ...keyed, resourceKey: true } }, schema: { body } }, async () => ({}));
  app.post('/open', { config: { access: { credential: 'none' } }, schema: { body } }, async () => ({}));
  app.post('/keyed', { config: { access: keyed }, schema: { body } }, async () => ({}));
  const send = async (url: string, authorization: string): Promise<number> => {
    const payload = { padding: 'x'.repeat(publicBodyBytesMax) };
    return (await app.inject({ method: 'POST', url, payload, headers: { authorization } })).statusCode;
  };
  for (const url of ['/resource', '/open']) t.equal(await send(url, `Bearer ${'0'.repeat(64)}`), 413, url);
  t.equal(await send('/keyed', 'Bearer vf_live_project'), 200);
});
