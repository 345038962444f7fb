/** A face that took part under another name, where the project holds that against no named respondent. */
import t from 'tap';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { scoredAtMs } from '../../helpers/facts.js';
import { biometricEnvelope, factsOf, freshComparison } from '../../helpers/verdict-facts.js';

const match = {
  ...{ fingerprintId: 'fp_1', sessionId: 'sess_earlier', respondentId: 'somebody', similarity: 0.95 },
  completedAtMs: scoredAtMs - 86_400_000,
};

function judge(isFaceNoted: boolean, similarity = match.similarity) {
  const biometric = freshComparison({ match: { ...match, similarity } });
  return judgeSession(factsOf(biometricEnvelope(), { uniqueness: { ...nothingCompared, biometric, isFaceNoted } }));
}

t.test(
  'a noted face passes with a signal that the backend alone learns, and no other score than uniqueness changes',
  (t) => {
    const [noted, decisive] = [judge(true), judge(false)];
    t.match(decisive.verdict, {
      status: 'fail',
      failureCategory: 'duplicate',
      duplicateMatch: { respondentId: 'somebody' },
    });
    t.match(noted.verdict, { status: 'pass', isDuplicate: false, duplicateMatch: null, scores: { uniqueness: null } });
    t.strictSame(
      noted.verdict.fraudSignals.map(({ type, severity }) => [type, severity]),
      [['face_seen', 'low']],
    );
    t.equal(noted.verdict.scores.liveness, decisive.verdict.scores.liveness);
    t.equal(noted.verdict.duplication.matchMethod, 'biometric', 'what was compared stays known');
    t.notOk(noted.page.fraudSignals.length > 0 && noted.page.duplicateMatch !== null);
    t.end();
  },
);

t.test('below the cutoff nothing is noted', (t) => {
  t.strictSame(judge(true, 0.3).verdict.fraudSignals, []);
  t.equal(judge(true, 0.3).verdict.scores.uniqueness, judge(false, 0.3).verdict.scores.uniqueness);
  t.end();
});
