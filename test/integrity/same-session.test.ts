/** Two instances race on the same sessions. */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'two instances on the same session');

if (stack !== null) {
  t.test(
    'instances that score the same session at once give one receipt, count it once, and serve each other’s evidence',
    async (t) => {
      const { members, keys } = await startFleet(t, await realStoreSettings(t, stack), ['api', 'api', 'consumers']);
      const urls = members.slice(0, 2).map((member) => member.baseUrl() ?? '');
      const headers = { 'content-type': 'application/json', 'x-api-key': keys.projectKey };
      const score = async (url: string, body: object): Promise<ScoreReply> => {
        const answer = await fetch(`${url}/lite/score`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ clientIp: '203.0.113.9', studyId: 'race', ...body }),
        });
        if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
        return (await answer.json()) as ScoreReply;
      };
      for (let n = 0; n < 20; n++) {
        const body = { sessionId: `same-${n}`, respondentId: `respondent-${n}` };
        const replies = await Promise.all([...urls, ...urls, ...urls].map((url) => score(url, body)));
        t.equal(
          new Set(replies.map((reply) => JSON.stringify({ ...reply, replayed: null }))).size,
          1,
          'one receipt and one reply for all',
        );
        t.equal(
          replies.filter(({ replayed }) => replayed !== true).length,
          1,
          'which one of them was the first to get',
        );
        const others = await Promise.all(
          urls.map((url, index) => score(url, { ...body, declaredCountry: ['DE', 'FR'][index] })),
        );
        for (const { duplicate } of [...replies, ...others])
          t.equal(duplicate.evidence.respondentDay, 1, 'the session counts once, whatever is asked of it');
        const [first] = replies;
        const evidence = await fetch(`${urls[1]}/lite/score/${first?.receiptId}/evidence`, { headers });
        t.same(((await evidence.json()) as EvidenceReply).evidence, first?.evidence);
      }
    },
  );
}
