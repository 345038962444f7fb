/** Sentences of refusals that name what to do instead. */
import t from 'tap';
import { Type } from 'typebox';
import type { ErrorBody } from '../../src/contract/common.js';
import { createBareApp } from '../helpers/bare-app.js';

t.test('a parameter of the query is named as it was sent', async (t) => {
  const app = createBareApp();
  app.get(
    '/list',
    { config: { access: { credential: 'none' } }, schema: { querystring: Type.Object({ limit: Type.Integer() }) } },
    async () => ({}),
  );
  const { message, issues } = (await app.inject('/list?limit=many')).json<ErrorBody>();
  t.same([message, issues?.[0]?.path], ['limit must be a whole number.', '/querystring/limit']);
});

t.test('a key of a study or a supplier is told from an API key', async (t) => {
  const app = createBareApp();
  app.get(
    '/key',
    { config: { access: { credential: 'api-key', scope: 'lite:write', modes: ['live'] } } },
    async () => ({}),
  );
  for (const headers of [{ 'x-api-key': 'a'.repeat(64) }, { authorization: `Bearer ${'0'.repeat(64)}` }])
    t.match((await app.inject({ url: '/key', headers })).json<ErrorBody>(), {
      code: 'INVALID_KEY',
      message: /`surveyKey` as `Authorization: Bearer` to `POST .*returns`/,
    });
});

t.test('a path of another listener is answered with its address', async (t) => {
  const paths = /^(?:\/api)?\/v1(?=\/(?:studies|suppliers)(?:[/?]|$))/;
  const app = createBareApp({ elsewhere: { paths, url: () => 'https://audience.example/v1' } });
  const messageOf = async (url: string) => (await app.inject(url)).json<ErrorBody>().message;
  for (const url of ['/api/v1/studies', '/v1/suppliers/x?y=1'])
    t.match(await messageOf(url), 'This path is served at https://audience.example/v1.', url);
  for (const url of ['/api/v1/studiesx', '/studies', '/api/v1/projects'])
    t.match(await messageOf(url), /does not exist/, url);
});
