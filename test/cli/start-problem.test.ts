import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import fastify from 'fastify';
import t from 'tap';
import { startProblem } from '../../src/cli/start-problem.js';
import { listen } from '../../src/http/app.js';

t.test('a start on a taken port names the setting that changes it', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  t.teardown(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const error: unknown = await listen(fastify(), { host: '127.0.0.1', port }).then(
    () => null,
    (reason: unknown) => reason,
  );
  const others = { PORT: 0, AUDIENCE_PORT: 0, ADMIN_PORT: 0 };
  for (const name of ['PORT', 'AUDIENCE_PORT', 'ADMIN_PORT'])
    t.equal(
      startProblem(error, { ...others, [name]: port }),
      `port ${port} is taken. Set ${name} to a free port, or to 0 for any.`,
    );
  t.equal(startProblem(new Error('The reason.'), others), 'The reason.');
});
