/** The page's part of its verdict, and the part for a backend only. */
import t from 'tap';
import { nothingCompared, type FaceMatch } from '../../../src/contract/uniqueness.js';
import type { Envelope } from '../../../src/contract/envelope.js';
import type { VerdictFacts } from '../../../src/contract/verdict.js';
import { failureReasons } from '../../../src/contract/failure-reasons.js';
import { signalRules } from '../../../workers/verification/signals.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman } from '../../helpers/captures.js';
import { scoredAtMs } from '../../helpers/facts.js';
import { biometricEnvelope, deviceEnvelope, factsOf, freshComparison } from '../../helpers/verdict-facts.js';

const judge = (envelope: Envelope, over: Partial<VerdictFacts> = {}) =>
  judgeSession(factsOf(envelope, { riskAggregator: 'off', ...over }));
const matchOf = (similarity: number): FaceMatch => ({
  ...{ fingerprintId: 'fp_1', sessionId: 'sess_earlier', respondentId: 'somebody', similarity },
  completedAtMs: scoredAtMs - 86_400_000,
});
const compared = {
  ...nothingCompared,
  device: { method: 'none', similarity: 0, matchedDeviceId: null, matched: null, isFaceless: false, isDecisive: false },
} as const;
const alike = (similarity: number) => ({
  ...compared,
  biometric: freshComparison({ match: matchOf(similarity) }),
});
const sentences: Readonly<Record<string, string>> = failureReasons;
const descriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(signalRules).map(([type, { description }]) => [type, description]),
);
const isStep = (value: number | null | undefined): boolean =>
  value == null || Math.abs(value * 10 - Math.round(value * 10)) < 1e-9;

t.test('of a duplicate the page learns that it is one, and in steps how alike', (t) => {
  for (const similarity of [0.61, 0.7, 0.83, 0.97, 1]) {
    const { page, verdict } = judge(biometricEnvelope(), { uniqueness: alike(similarity) });
    t.match(verdict.duplicateMatch, { sessionId: 'sess_earlier', respondentId: 'somebody' });
    t.same(Object.keys(page.duplicateMatch ?? {}).sort(), ['fingerprintId', 'similarity']);
    t.same([page.failureCategory, page.isDuplicate], ['duplicate', true]);
    const { similarity: exact = NaN } = verdict.duplicateMatch ?? {};
    const { similarity: told = NaN } = page.duplicateMatch ?? {};
    t.ok(isStep(told) && told <= exact + 1e-9 && exact - told < 0.1 + 1e-9, `${exact} is told as ${told}`);
    t.ok(Object.values(page.scores).every(isStep), JSON.stringify(page.scores));
  }
  t.end();
});

t.test('a code stands for each reason, and on the page a subtle signal’s is unusual', (t) => {
  const cases = [
    biometricEnvelope(captureHuman({ challenges: [] })),
    biometricEnvelope(undefined, { features: { deepfake: 0.9 } }),
  ];
  for (const envelope of cases) {
    const { page, verdict } = judge(envelope);
    for (const view of [page, verdict]) {
      t.equal(view.failureCodes.length, view.failureReasons.length);
      for (const [index, code] of view.failureCodes.entries())
        t.equal(view.failureReasons[index], { ...sentences, ...descriptions }[code]);
    }
  }
  const { page, verdict } = judge(cases[1] ?? deviceEnvelope());
  t.strictSame(
    [verdict.failureCodes, page.failureCodes],
    [
      ['camera_doubtful', 'deepfake_suspected'],
      ['camera_doubtful', 'unusual'],
    ],
  );
  t.end();
});

t.test('a capture that fails by itself reveals nothing of the face that came with it', (t) => {
  const forged = biometricEnvelope(captureHuman({ challenges: [] }));
  const [stranger, known] = [judge(forged), judge(forged, { uniqueness: alike(0.95) })];
  t.equal(known.verdict.failureCategory, 'duplicate', 'the backend learns it');
  t.match(known.verdict.duplicateMatch, { respondentId: 'somebody' });
  t.same(known.page, stranger.page, 'the page is told the same as with an unknown face');
  t.same([known.page.failureCategory, known.page.scores.uniqueness], ['liveness', null]);
  const returning = { ...compared, biometric: freshComparison({ returning: matchOf(0.95) }) };
  t.same(judge(forged, { uniqueness: returning }).page, stranger.page);
  const borderline = biometricEnvelope(undefined, { features: { deepfake: 0.9 } });
  t.same(judge(borderline, { uniqueness: alike(0.95) }).page, judge(borderline).page);
  for (const riskAggregator of ['shadow', 'on'] as const)
    t.same(
      judge(forged, { riskAggregator, uniqueness: alike(0.95) }).page.shown,
      judge(forged, { riskAggregator }).page.shown,
    );
  t.end();
});

t.test('subtle signals have no name on the page, unless the project shows risk', (t) => {
  const envelope = biometricEnvelope(captureHuman({ challenges: [] }), {
    camera: { label: 'OBS Virtual Camera' },
    embedding: null,
    features: { deepfake: 0.83 },
  });
  const { page, verdict } = judge(envelope);
  const subtle = verdict.fraudSignals.filter(({ category }) => category === 'sophisticated');
  t.ok(subtle.length >= 2);
  t.match(
    page.fraudSignals.find(({ type }) => type === 'virtual_camera'),
    { severity: 'high', category: 'obvious', confidence: 0.75 },
  );
  const told = JSON.stringify(page);
  for (const { type, description } of subtle) t.notOk(told.includes(type) || told.includes(description), type);
  t.match(
    page.fraudSignals.filter(({ type }) => type === 'other'),
    [{ severity: String, category: 'sophisticated', description: /unusual/, confidence: Number }],
  );
  const confidence = { low: 0.25, medium: 0.5, high: 0.75 };
  for (const signal of page.fraudSignals) t.equal(signal.confidence, confidence[signal.severity]);
  t.same(judge(envelope, { riskAggregator: 'on' }).page.fraudSignals, verdict.fraudSignals);
  t.end();
});

t.test('that somebody of this respondentId or device took part is the backend’s alone', (t) => {
  const device = {
    ...({ method: 'exact', similarity: 1, matchedDeviceId: 'dev_1', matched: matchOf(1) } as const),
    ...{ isFaceless: true, isDecisive: false },
  };
  const identity = { match: null, returning: null, isClaimed: true };
  const { page, verdict } = judge(deviceEnvelope(), { uniqueness: { ...nothingCompared, device, identity } });
  t.same(verdict.fraudSignals.map(({ type }) => type).sort(), ['device_seen', 'respondent_seen']);
  t.same(page.fraudSignals, []);
  t.end();
});

t.test('a fence is named, not the signal that stood in its way', (t) => {
  const envelope = biometricEnvelope(undefined, { embedding: null });
  const outcome = judge(envelope, {
    verificationMode: 'score',
    fences: { blockOnFraudSignals: ['face_withheld'] },
  });
  t.equal(outcome.dispatch.reason, 'blockOnFraudSignals: face_withheld');
  t.equal(outcome.page.reason, 'blockOnFraudSignals');
  t.end();
});
