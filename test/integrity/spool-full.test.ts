/** Kafka hanging and the disk of the spool full. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { auditLoad } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const stack = findStack(t, 'a spool without room');
const spoolBytes = 1_048_576;

if (stack !== null) {
  t.test(
    'with the log away and no room on the disk scores are refused with 503, and what was answered is recorded once there is room',
    async (t) => {
      const kafka = await startOwnStack(t, ['kafka']);
      const settings = {
        ...(await realStoreSettings(t, stack, { kafkaBrokers: kafka.kafkaBrokers })),
        VH_CONSUMER_TAKEOVER_MS: '3000',
        VH_SPOOL_BYTES_MAX: String(2 * spoolBytes),
      };
      const fleet = await startFleet(t, settings, ['api', 'consumers']);
      const api = fleet.members[0];
      if (api === undefined) throw new Error('there is an API process');
      await api.end('SIGTERM');
      const directory = join(api.dataDirectory, 'spool');
      mkdirSync(directory, { recursive: true });
      const isMounted =
        spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${spoolBytes}`, 'tmpfs', directory]).status === 0;
      t.teardown(() => (isMounted ? void spawnSync('umount', ['-l', directory]) : undefined));
      if (!isMounted)
        t.comment(
          'A small file system cannot be mounted here (that takes root): the bound of the spool stands in for it.',
        );
      await api.start();
      const load = startScoreLoad(fleet, { callers: 6, pauseMs: 1 });
      await load.further(20);
      await kafka.command('pause');
      await waitUntil(() => load.answers.refused > 20, 'the disk is full', 90_000);
      t.ok(((await api.metric('vh_spool_bytes')) ?? 0) > spoolBytes / 2, 'the room was used first');
      await kafka.command('resume');
      await waitUntil(async () => (await api.metric('vh_spool_bytes')) === 0, 'the spool is replayed', 60_000);
      const refused = load.answers.refused;
      await load.further(30);
      t.equal(load.answers.refused, refused, 'scores are answered again');
      await load.stop();
      await auditLoad(t, settings.DATABASE_URL, load);
    },
  );
}
