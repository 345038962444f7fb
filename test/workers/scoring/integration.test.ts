import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts, humanFacts } from '../../helpers/facts.js';

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
  t.match(missing.evidence.summary, 'own policy');
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
