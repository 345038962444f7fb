import t from 'tap';
import { createReader, openBareRedis, type Reply } from '../../bench/bare-redis.js';
import { startRedis } from '../stores/counters/redis-server.js';

t.test('replies are read wherever the bytes are cut', async (t) => {
  const bytes = Buffer.from('+OK\r\n:42\r\n$-1\r\n*3\r\n$4\r\na\r\nb\r\n*1\r\n:1\r\n*0\r\n$0\r\n\r\n');
  const expected: Reply[] = ['OK', 42, null, ['a\r\nb', [1], []], ''];
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const replies: Reply[] = [];
    const take = createReader((reply) => replies.push(reply));
    take(bytes.subarray(0, cut));
    take(bytes.subarray(cut));
    t.strictSame(replies, expected, `cut at ${cut}`);
  }
  t.throws(() => createReader(() => undefined)(Buffer.from('-ERR no\r\n')), /ERR no/);
});

const server = await startRedis();
t.test('commands of one turn get their own replies', { skip: server === null && 'no redis-server' }, async (t) => {
  const redis = await openBareRedis(server?.url ?? '');
  const bytes = Buffer.from([0, 255, 13, 10]).toString('latin1');
  const [first, second] = await Promise.all([
    redis.send([
      ['SET', 'a', bytes],
      ['GET', 'a'],
    ]),
    redis.send([['MGET', 'a', 'b']]),
  ]);
  t.strictSame(first, ['OK', bytes]);
  t.strictSame(second, [[bytes, null]]);
  redis.close();
  await server?.close();
});
