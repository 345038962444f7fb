import fastify from 'fastify';
import t from 'tap';
import { serveDocument } from '../../src/http/openapi.js';

t.test('the document is made at the first request, and once', async (t) => {
  const app = fastify();
  t.teardown(() => app.close());
  let made = 0;
  app.decorate('swagger', (() => ({ openapi: '3.1.0', made: (made += 1) })) as never);
  serveDocument(app, '/v1');
  await app.ready();
  t.equal(made, 0);
  for (const _ of [1, 2, 3]) {
    const { headers, body } = await app.inject('/v1/openapi.json');
    t.equal(headers['content-type'], 'application/json; charset=utf-8');
    t.equal(body, '{"openapi":"3.1.0","made":1}');
  }
});
