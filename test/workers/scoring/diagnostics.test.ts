import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { degradedSignals, probeStates, type ProbeState } from '../../../src/contract/score.js';
import { findDegraded, measurementRules, weighMeasurement } from '../../../workers/scoring/diagnostics.js';
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
    ['organization_key', 'client_probe_missing'],
    'an organization key has nothing counted',
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
  t.equal(
    weighMeasurement(visit, findDegraded(visit), { ceiling: 74, clean: 0.01 }).filter(({ weight }) => weight > 0)
      .length,
    1,
  );
  t.end();
});

t.test('a page’s report explains a missing probe, and changes neither its score nor what a probe says', (t) => {
  const reported = { ...calibrationDefaults, noProbeRiskScore: 45 };
  const scoreOf = (probeState: ProbeState | null, facts = cleanFacts) =>
    scoreFacts(facts({ calibration: reported, ...(probeState === null ? {} : { integration: { probeState } }) })).reply;
  const silent = scoreOf(null);
  for (const state of probeStates) {
    const code = state === 'sent' ? 'client_probe_late' : 'client_probe_blocked';
    const reply = scoreOf(state);
    t.same(reply.degradedSignals, ['client_probe_missing', code]);
    t.same(
      { ...reply, degradedSignals: [], reasons: [], evidence: null },
      { ...silent, degradedSignals: [], reasons: [], evidence: null },
      'the score is that of a page without a report',
    );
    t.match(reply.evidence, { against: [{ code: 'client_probe_missing' }], notes: [{ code, strength: 'none' }] });
    if (state !== 'sent') t.match(reply.evidence.notes[0]?.detail, `(${state})`);
    t.same(scoreOf(state, humanFacts).degradedSignals, [], 'a probe that came needs no explanation');
  }
  t.end();
});

const notesOf = (facts = cleanFacts()): readonly string[] =>
  scoreFacts(facts).reply.evidence.notes.map(({ code }) => code);

t.test('what stands out of the integration is noted and moves nothing', (t) => {
  const integration = {
    unknownFields: ['"respondentID"'],
    unhashed: ['respondentId'],
    probeElsewhere: 'that of “s-2”',
    isFixedSession: true,
  };
  const { reply } = scoreFacts(cleanFacts({ integration }));
  t.equal(reply.score, 0);
  for (const code of ['unknown_fields', 'identity_not_hashed', 'probe_elsewhere', 'fixed_session_live'])
    t.match(
      reply.evidence.notes.find((finding) => finding.code === code),
      { class: 'diagnostic', strength: 'none' },
      code,
    );
  t.notOk(
    notesOf(humanFacts({ integration })).includes('probe_elsewhere'),
    'with a probe there is nothing to look for',
  );
  t.ok(notesOf(cleanFacts({ measured: false, counts: null, history: null })).includes('organization_key'));
  t.notOk(notesOf().includes('organization_key'));
  t.ok(scoreFacts(cleanFacts({ measured: false })).reply.degradedSignals.includes('organization_key'));
  t.notOk(scoreFacts(cleanFacts()).reply.degradedSignals.includes('organization_key'));
  t.end();
});

t.test('the ceilings in force are named, and said in words', (t) => {
  const driven = {
    auto: { webdriver: true, globals: ['cdc_x'], debugStack: true, debugGetter: true },
    lies: ['setPrototypeOf', 'iframe'],
  };
  const alone = scoreFacts(humanFacts({ userAgent: 'HeadlessChrome/149.0' }, { ...driven, beh: {} })).reply;
  t.ok(alone.score >= 40 && alone.score < 75, String(alone.score));
  t.same(alone.ceilings, ['uncorroborated'], JSON.stringify(alone.categories));
  t.match(alone.evidence.summary, 'one kind alone never reaches the block band');
  t.same(scoreFacts(humanFacts()).reply.ceilings, [], 'nothing is held where nothing speaks');
  const missing = scoreFacts(cleanFacts({ calibration: { ...calibrationDefaults, noProbeRiskScore: 45 } })).reply;
  t.same([missing.score, missing.ceilings], [45, ['policy']]);
  t.match(missing.evidence.summary, 'Project policy raised');
  const clawback = cleanFacts({
    history: { respondent: { n: 2, fraud: 2, confirmedClawbacks: 1 }, source: null, subSource: null },
    calibration: { ...calibrationDefaults, dispositiveSignals: ['confirmed_clawback'] },
  });
  t.match(scoreFacts(clawback).reply, { recommendation: 'block', ceilings: ['dispositive'] });
  t.match(scoreFacts({ ...clawback, calibration: calibrationDefaults }).reply, {
    recommendation: 'review',
    ceilings: ['uncorroborated'],
  });
  t.end();
});
