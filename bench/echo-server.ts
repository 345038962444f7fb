/** A bare Fastify that reads the same bodies and answers each with a body like ours, so that both servers move the same bytes in and out. */
import Fastify from 'fastify';

const answer = JSON.parse(process.env['ECHO_ANSWER'] ?? '{}') as object;
const app = Fastify();
app.post('/echo', (_request, reply) => reply.send(answer));
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ origin });
process.on('SIGTERM', () => process.exit(0));
