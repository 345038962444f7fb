/** Counts the requests to the stores of one score, and of one validation of a token, once everything is cached. */
import { Redis } from 'ioredis';
import pg from 'pg';
import t from 'tap';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { createSession, verify } from '../helpers/verifications.js';
import { startRedis } from '../stores/counters/redis-server.js';

t.setTimeout(60_000);
const stack = findStack(t, 'what a score asks of the stores');
/** Calls and statements that come by the clock, however many scores there are. */
const callsByTheClock = ['echo', 'ping', 'checkComplete'];
const byTheClock = [
  / FROM changes\s/,
  /INTO api_key_uses /,
  /^SELECT 1$/,
  / fingerprint_changes /,
  /taken AS .* outbox /,
];
/**
 * An instance that has not heard of changes for a second reads outcomes from the database, as it may where the machine stands still. What it does within
 * this time of its last question for changes that was answered is its own doing.
 */
const heardMsMax = 800;

if (stack !== null) {
  t.test(
    'a warm score reads Redis twice at most, writes it once and is no SQL; a warm token/verify is no SQL either',
    async (t) => {
      const redis = await startRedis();
      if (redis === null) throw new Error('redis-server is not installed');
      t.teardown(() => redis.close());
      const statements: { readonly text: string; readonly heardMs: number }[] = [];
      let heardAtMs = 0;
      const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
      pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
        const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string }).text);
        const atMs = performance.now();
        statements.push({ text, heardMs: atMs - heardAtMs });
        const answer = query.apply(this, args);
        if (/ FROM changes\s/.test(text))
          void Promise.resolve(answer).then(
            () => (heardAtMs = atMs),
            () => undefined,
          );
        return answer;
      } as typeof pg.Client.prototype.query;
      t.teardown(() => void (pg.Client.prototype.query = query as typeof pg.Client.prototype.query));
      const caused = () => statements.filter(({ text }) => !byTheClock.some((pattern) => pattern.test(text)));

      const service = await startTestService(t, {
        ...(await realStoreSettings(t, stack, { redisUrl: redis.url })),
        VH_ROLES: 'api',
      });
      let sessions = 0;
      const score = async (): Promise<number> =>
        (
          await service.call('POST', '/lite/score', {
            body: {
              sessionId: `s${sessions++}`,
              respondentId: `r${sessions % 5}`,
              clientIp: '203.0.113.9',
              studyId: 'warm',
            },
          })
        ).status;
      for (let n = 0; n < 5; n++) t.equal(await score(), 200);

      const calls: string[] = [];
      const client = new Redis(redis.url);
      const monitor = await client.monitor();
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        if (source === 'lua') return;
        const [command = '', script = ''] = args;
        // A function is called by its library's name and its own.
        calls.push(command.toLowerCase() === 'fcall' ? script.replace(/^.*_/, '') : command.toLowerCase());
      });
      statements.length = 0;
      const scored = 100;
      for (let n = 0; n < scored; n++) t.equal(await score(), 200);
      await client.echo('the end');
      while (!calls.includes('echo')) await new Promise((resolve) => setImmediate(resolve));
      monitor.disconnect();
      client.disconnect();
      const ofScores = calls.filter((call) => !callsByTheClock.includes(call));
      const times = (name: string): number => ofScores.filter((call) => call === name).length / scored;
      t.same(
        [...new Set(ofScores)].sort().map((name) => [name, times(name)]),
        // The values of the session, then those of the sessions that it is compared with.
        Object.entries({ commit: 1, getrange: 1, mget: 2, takeRate: 1 }),
      );
      t.same(caused(), [], 'no statement that a score caused');

      const validate = async (token: string): Promise<void> => {
        const { body } = await service.call('POST', '/token/verify', { body: { token } });
        t.match(body, { success: true });
      };
      const { body } = await verify(service, await createSession(service));
      await validate(body.verificationToken);
      statements.length = 0;
      for (let n = 0; n < scored; n++) await validate(body.verificationToken);
      t.same(
        caused().filter(({ heardMs }) => heardMs < heardMsMax),
        [],
        'the outcome of a session that was validated before is known',
      );
      t.ok(
        statements.some(({ heardMs }) => heardMs < heardMsMax),
        'the feed is heard',
      );
    },
  );
}
