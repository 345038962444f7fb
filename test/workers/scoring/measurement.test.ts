import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { degradedSignals } from '../../../src/contract/score.js';
import { findDegraded, measurementRules, weighMeasurement } from '../../../workers/scoring/measurement.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { cleanFacts, humanFacts } from '../../helpers/facts.js';

t.test('what is missing is named', (t) => {
  const degraded = (facts = cleanFacts()) => findDegraded(readVisit(facts));
  t.same(degraded(humanFacts()), []);
  t.same(degraded(cleanFacts({ counts: null, history: null })), [
    'client_probe_missing',
    'counters_unavailable',
    'history_unavailable',
  ]);
  t.same(
    degraded(cleanFacts({ measured: false, counts: null, history: null })),
    ['client_probe_missing'],
    'an organization key misses nothing',
  );
  t.same(degraded(humanFacts({}, { ua: {}, auto: {} })), ['probe_unusable']);
  t.same(degraded(humanFacts({ address: { ...cleanFacts().address, country: null } })), ['geo_unavailable']);
  t.same(new Set(Object.keys(measurementRules)), new Set(degradedSignals), 'every degraded signal has its finding');
  t.end();
});

t.test('a missing probe alone leads to the score that the project set, below the block band, and once', (t) => {
  const score = (noProbeRiskScore: number, blockThreshold = 75) =>
    scoreFacts(cleanFacts({ calibration: { ...calibrationDefaults, noProbeRiskScore, blockThreshold } })).reply;
  for (const wanted of [0, 1, 20, 45, 74]) t.equal(score(wanted).score, wanted);
  t.equal(score(100).score, 74);
  t.equal(score(100, 100).score, 99);
  t.match(score(45), {
    recommendation: 'review',
    evidence: { against: [{ code: 'client_probe_missing' }], notes: [] },
  });
  const visit = readVisit(
    cleanFacts({ degraded: ['probe_unusable'], calibration: { ...calibrationDefaults, noProbeRiskScore: 30 } }),
  );
  t.equal(weighMeasurement(visit, findDegraded(visit), 74).filter(({ weight }) => weight > 0).length, 1);
  t.end();
});
