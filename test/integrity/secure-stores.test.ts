/** All three stores over TLS under a private authority, with passwords where they ask for one. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { auditLoad } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { startProcess } from '../helpers/process.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);

if (findStack(t, 'stores over TLS') !== null) {
  t.test(
    'with stores that speak TLS only, scores are counted and recorded; without the authority or the password the service says so',
    async (t) => {
      const { databaseUrl, redisUrl, kafkaBrokers, secrets } = await startOwnStack(
        t,
        ['postgres', 'redis', 'kafka'],
        ['--secure'],
      );
      const { certificate = '', username = '', password = '' } = secrets ?? {};
      const settings = {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        KAFKA_BROKERS: kafkaBrokers,
        KAFKA_TLS: 'on',
        KAFKA_SASL_MECHANISM: 'plain',
        KAFKA_SASL_USERNAME: username,
        KAFKA_SASL_PASSWORD: password,
        VH_MASTER_KEY: randomBytes(32).toString('base64'),
      };
      const trusting = { ...settings, NODE_EXTRA_CA_CERTS: certificate };
      const fleet = await startFleet(t, trusting, ['api', 'consumers']);
      const load = startScoreLoad(fleet, { callers: 2, pauseMs: 20 });
      await load.further(30);
      await load.stop();
      t.equal(load.answers.degraded, 0, 'every score was counted');
      await waitUntil(
        async () => (await fleet.members[0]?.metric('vh_spool_bytes')) === 0,
        'no receipt waits in the spool',
        30_000,
      );
      const log = fleet.members.map((member) => member.output().stderr).join('');
      t.notMatch(log, new RegExp(password), 'no log holds the password');
      await auditLoad(t, databaseUrl, load);

      const wrongs = [
        { wrong: settings, said: /self-signed certificate/ },
        { wrong: { ...trusting, REDIS_URL: redisUrl.replace(password, 'wrong') }, said: /WRONGPASS/ },
        { wrong: { ...trusting, KAFKA_SASL_PASSWORD: 'wrong' }, said: /Authentication failed/ },
      ];
      for (const { wrong, said } of wrongs) {
        const service = startProcess(t, {
          VH_LOG_LEVEL: 'warn',
          ...wrong,
          VH_DATA_DIR: temporaryDirectory(t),
          VH_ROLES: 'api',
        });
        await waitUntil(() => said.test(service.output().stderr), `the log says ${String(said)}`, 30_000);
        t.pass(`the log says ${String(said)}`);
        await service.end('SIGKILL');
      }
    },
  );
}
