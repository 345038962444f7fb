/** The clock of an instance jumps back and forth. */
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'a clock that is set back');

if (stack !== null) {
  t.test('a clock set back costs no answer, no receipt and no evidence, and a session still counts once', async (t) => {
    let shiftMs = 0;
    const settings = await realStoreSettings(t, stack);
    const service = await startTestService(t, settings, { now: () => Date.now() + shiftMs });
    const receipts: string[] = [];
    const score = async (body: object): Promise<ScoreReply> => {
      const answer = await service.call('POST', '/lite/score', {
        body: { clientIp: '203.0.113.9', studyId: 's', respondentId: 'r', ...body },
      });
      t.equal(answer.status, 200, JSON.stringify(answer.body));
      const reply = answer.body as ScoreReply;
      receipts.push(reply.receiptId);
      return reply;
    };
    let sessions = 0;
    for (const jumpMs of [0, -3_600_000, -60_000, 7_200_000, -1_000]) {
      shiftMs += jumpMs;
      for (let n = 0; n < 5; n++) await score({ sessionId: `session-${sessions++}` });
      const again = await score({ sessionId: 'session-0', declaredCountry: ['DE', 'FR', 'US'][sessions % 3] });
      t.ok((again.duplicate.evidence.respondentDay ?? 0) <= sessions, 'a session scored again is not counted again');
      t.equal((await service.call('GET', `/lite/score/${receipts.at(-1)}/evidence`)).status, 200);
    }
    const database = await openPostgres({ url: settings.DATABASE_URL, poolMax: 1, deadlineMs: 10_000 });
    t.teardown(() => database.close());
    const recorded = async (): Promise<number> =>
      (
        await database.query<{ n: number }>('SELECT count(*) AS n FROM receipts WHERE receipt_id = ANY($1)', [receipts])
      )[0]?.n ?? 0;
    await waitUntil(async () => (await recorded()) === new Set(receipts).size, 'every receipt is recorded', 60_000);
    for (const receiptId of receipts)
      t.equal((await service.call('GET', `/lite/score/${receiptId}/evidence`)).status, 200);
  });
}
