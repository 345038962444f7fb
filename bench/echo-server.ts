/** The baseline: a bare Fastify that answers each body with itself. */
import Fastify from 'fastify';

const app = Fastify();
app.post('/echo', (request, reply) => reply.send(request.body));
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ origin });
process.on('SIGTERM', () => process.exit(0));
