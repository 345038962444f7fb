/** PostgreSQL stopped without a checkpoint, hanging and restarted under load. */
import t from 'tap';
import { auditCounts, auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';

t.setTimeout(240_000);
const stack = findStack(t, 'outages of PostgreSQL');

if (stack !== null) {
  t.test(
    'with PostgreSQL stopped, hanging or restarted scores are answered, evidence is served, and the consumers wait',
    async (t) => {
      const postgres = await startOwnStack(t, ['postgres'], 700);
      const settings = await realStoreSettings(
        { teardown: () => undefined },
        { ...stack, databaseUrl: postgres.databaseUrl },
      );
      const fleet = await startFleet(t, settings, ['api', 'consumers']);
      const url = fleet.members[0]?.baseUrl() ?? '';
      const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
      await load.further(30);
      for (const [down, up] of [
        ['kill', 'start'],
        ['pause', 'resume'],
        ['stop', 'start'],
      ] as const) {
        await postgres.command(down);
        await load.further(50);
        const [sessionId, receiptId] = [...load.receipts].at(-1) ?? [];
        const evidence = await fetch(`${url}/lite/score/${receiptId}/evidence`, {
          headers: { 'x-api-key': fleet.keys.projectKey },
        });
        t.equal(evidence.status, 200, `after ${down} the evidence of a new receipt is served`);
        t.equal(((await evidence.json()) as { sessionId: string }).sessionId, sessionId);
        const unknown = await fetch(`${url}/lite/score`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': `vf_${'0'.repeat(48)}` },
          body: '{}',
        });
        t.ok([401, 503].includes(unknown.status), 'a key that is not cached is not taken');
        await postgres.command(up);
        await load.further(20);
      }
      await load.stop();
      auditRefusals(t, load);
      await auditLoad(t, settings.DATABASE_URL, load);
      await auditCounts(t, fleet, load, load.answers.degraded === 0);
    },
  );
}
