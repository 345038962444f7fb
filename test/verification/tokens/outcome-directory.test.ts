import t from 'tap';
import type { VerdictOutcome } from '../../../src/contract/verdict.js';
import { createOutcomeDirectory } from '../../../src/verification/tokens/outcome-directory.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

function open() {
  const kept = new Map<string, VerdictOutcome>([['sess_1', judgeSession(factsOf(deviceEnvelope()))]]);
  const feed = { ageMs: 0, erase: (_sessionId: string | null): void => undefined };
  let loads = 0;
  const outcomes = createOutcomeDirectory({
    async load(sessionId) {
      loads += 1;
      return kept.get(sessionId) ?? null;
    },
    onSessionErased: (listener) => void (feed.erase = listener),
    feedAgeMs: () => feed.ageMs,
  });
  return { outcomes, kept, feed, loads: () => loads };
}

t.test('an outcome is read once, and one that is not there yet each time', async (t) => {
  const { outcomes, loads } = open();
  const first = await outcomes.read('sess_1');
  t.equal(await outcomes.read('sess_1'), first);
  t.equal(loads(), 1);
  t.strictSame([await outcomes.read('sess_2'), await outcomes.read('sess_2'), loads()], [null, null, 3]);
});

t.test('an erased session is forgotten, whoever reports it', async (t) => {
  for (const report of ['feed', 'gap', 'own'] as const) {
    const { outcomes, kept, feed } = open();
    await outcomes.read('sess_1');
    kept.clear();
    t.ok(await outcomes.read('sess_1'), 'nobody reported it');
    if (report === 'own') outcomes.forget(['sess_1']);
    else feed.erase(report === 'feed' ? 'sess_1' : null);
    t.equal(await outcomes.read('sess_1'), null, report);
  }
});

t.test('cut off from the feed for a second it reads the database', async (t) => {
  const { outcomes, feed, loads } = open();
  await outcomes.read('sess_1');
  feed.ageMs = 1_001;
  await outcomes.read('sess_1');
  t.equal(loads(), 2);
});
