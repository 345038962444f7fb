import t from 'tap';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import type { VerdictFacts } from '../../../src/contract/verdict.js';
import { eventsOf } from '../../../src/verification/verify/session-events.js';
import { payloadOf } from '../../../src/webhooks/payload.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const session = {
  ...{ organizationId: 'org_1', projectId: 'proj_1', sessionId: 'sess_1', mode: 'live' as const },
  ...{
    respondentId: null,
    studyId: null,
    linkId: null,
    metadata: {},
    dataCollector: null,
    stepUp: null,
    createdAt: new Date(0),
  },
};

function dataOf(riskAggregator: VerdictFacts['riskAggregator']): Record<string, unknown> {
  const outcome = judgeSession(factsOf(deviceEnvelope(), { riskAggregator, uniqueness: nothingCompared }));
  const [completed] = eventsOf({
    ...{ session, outcome, verificationMode: 'block', completedAt: new Date(1_000) },
    ...{ device: 'desktop', browser: 'Chrome' },
  });
  if (completed === undefined) throw new Error('a completed session has an event');
  return payloadOf(completed, 'v2').data;
}

t.test('duplication has the gate of risk, also if nothing was compared', (t) => {
  t.same(dataOf('on')['duplication'], {
    ...{ overall: null, deviceMatch: null, biometricMatch: null },
    matchMethod: 'none',
  });
  t.ok('risk' in dataOf('on'));
  for (const closed of ['off', 'shadow'] as const)
    t.same(
      Object.keys(dataOf(closed)).filter((name) => name === 'risk' || name === 'duplication'),
      [],
      closed,
    );
  t.end();
});
