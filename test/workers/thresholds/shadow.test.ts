import fc from 'fast-check';
import t from 'tap';
import { applyShadow, resolveCalibration, type LiteConfig } from '../../../src/contract/calibration.js';
import type { ComparedSession } from '../../../src/contract/shadow.js';
import { recommendations } from '../../../src/contract/score.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { compareShadow, judgeShadow } from '../../../workers/thresholds/shadow.js';
import { cleanFacts } from '../../helpers/facts.js';
import { readReferenceSessions } from '../../helpers/reference-sessions.js';

const reference = readReferenceSessions();
const edge = fc.constantFrom(0, 1, 40, 75, 99.5, 100);
const knobs = fc.record(
  {
    blockThreshold: edge,
    reviewLow: edge,
    noProbeRiskScore: edge,
    stepUpEnabled: fc.boolean(),
    stepUpThreshold: edge,
    geoRiskWeights: fc.dictionary(fc.constantFrom('DE', 'US'), fc.constantFrom(0.5, 2)),
    dispositiveSignals: fc.constantFrom([], ['confirmed_clawback' as const]),
    newUserPosture: fc.constantFrom('neutral', 'review_lean'),
    verifiedAgentPolicy: fc.constantFrom('score_normally', 'allow', 'review'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<LiteConfig>;
const config = fc
  .record({ own: knobs, perSource: fc.dictionary(fc.constantFrom('s', 'constructor'), knobs) })
  .map(({ own, perSource }): LiteConfig => ({ ...own, perSource }));

t.test('no shadow changes a byte of the reply to a recorded session', (t) => {
  fc.assert(
    fc.property(config, config, fc.constantFrom(...reference), (live, shadow, { facts }) => {
      const replyUnder = (liteConfig: LiteConfig): string =>
        JSON.stringify(scoreFacts({ ...facts, calibration: resolveCalibration(liteConfig, 's') }).reply);
      return replyUnder({ ...live, shadow }) === replyUnder(live);
    }),
    { numRuns: 300 },
  );
  t.end();
});

t.test('a shadow judges as the live calibration would with its knobs set, at their bounds too', (t) => {
  fc.assert(
    fc.property(config, config, fc.constantFrom(...reference), (live, shadow, { facts }) => {
      const { perSource = {}, ...over } = shadow;
      const source = { ...live.perSource?.['s'], ...perSource['s'] };
      const set = { ...live, ...over, perSource: { s: source } };
      const weights = [live, over, live.perSource?.['s'], perSource['s']].map((part) => part?.geoRiskWeights);
      const expected = { ...resolveCalibration(set, 's'), geoRiskWeights: Object.assign({}, ...weights) as object };
      const calibration = resolveCalibration(applyShadow({ ...live, shadow }), 's');
      t.same(calibration, expected);
      const { score, recommendation } = scoreFacts({ ...facts, calibration }).reply;
      const judged = judgeShadow(facts, calibration);
      return judged.score === score && judged.recommendation === recommendation;
    }),
    { numRuns: 300 },
  );
  t.end();
});

t.test('with the calibration at scoring time a shadow agrees with every recorded session', (t) => {
  for (const { recorded, facts } of reference) {
    const { score, recommendation } = judgeShadow(facts, facts.calibration);
    if (recorded.score !== undefined) t.same([score, recommendation], [recorded.score, recorded.recommendation]);
  }
  t.end();
});

t.test('a recalibration moves the probability of the shadow, and nothing else', (t) => {
  const facts = cleanFacts();
  const curve = [
    [0, 0.5, 0.4, 0.6],
    [1, 0.9, 0.8, 1],
  ];
  const { probability, ...judged } = judgeShadow(facts, { ...facts.calibration, recalibration: curve });
  const plain = judgeShadow(facts, facts.calibration);
  t.same({ ...judged, probability: plain.probability }, plain);
  t.ok((probability ?? 0) > 0.5 && (plain.probability ?? 1) < 0.2);
  t.end();
});

const advice = fc.constantFrom(...recommendations);
const session: fc.Arbitrary<ComparedSession> = fc.record({
  receiptId: fc.uuid(),
  sessionId: fc.string(),
  sourceId: fc.constantFrom(null, ...Array.from({ length: 30 }, (_, n) => `s${n}`)),
  isNewest: fc.boolean(),
  label: fc.constantFrom(null, 'fraud', 'honest'),
  isOtherModel: fc.boolean(),
  live: fc.record({ score: fc.nat(100), recommendation: advice }),
  shadow: fc.record({
    ...{ score: fc.nat(100), recommendation: advice },
    ...{ probability: fc.constantFrom(null, 0.25, 0.75), liveProbability: fc.constantFrom(null, 0.5) },
  }),
});

t.test('every figure of a comparison is a plain count of its sessions', (t) => {
  fc.assert(
    fc.property(fc.array(session, { maxLength: 120 }), (sessions) => {
      const figures = compareShadow(sessions);
      const newest = sessions.filter(({ isNewest }) => isNewest);
      const count = (holds: (each: ComparedSession) => boolean): number => newest.filter(holds).length;
      const flips = count(({ live, shadow }) => live.recommendation !== shadow.recommendation);
      t.equal(figures.compared, newest.length);
      t.equal(figures.agreements, newest.length - flips);
      for (const name of recommendations) {
        t.equal(
          figures.live[name],
          count(({ live }) => live.recommendation === name),
        );
        t.equal(
          figures.shadow[name],
          count(({ shadow }) => shadow.recommendation === name),
        );
      }
      for (const { from, to, sessions: flipped } of figures.flips)
        t.equal(
          flipped,
          count(({ live, shadow }) => live.recommendation === from && shadow.recommendation === to),
        );
      t.equal(
        figures.flips.reduce((sum, flip) => sum + flip.sessions, 0),
        flips,
      );
      t.equal(figures.examples.length, Math.min(50, flips));
      t.ok(figures.sources.length <= 20);
      for (const { sourceId, compared, shadowBlocked } of figures.sources) {
        t.equal(
          compared,
          count((each) => each.sourceId === sourceId),
        );
        t.equal(
          shadowBlocked,
          count((each) => each.sourceId === sourceId && each.shadow.recommendation === 'block'),
        );
      }
      const { fraud, honest, fraudCaught, honestStopped } = figures.labelled;
      const labelled = (label: string) => sessions.filter((each) => each.label === label);
      t.same([fraud, honest], [labelled('fraud').length, labelled('honest').length]);
      const caught = labelled('fraud').filter(({ shadow }) => shadow.recommendation === 'block').length;
      const stopped = labelled('honest').filter(({ live }) => live.recommendation !== 'allow').length;
      t.equal(fraudCaught.shadow?.value ?? null, fraud === 0 ? null : caught / fraud);
      t.equal(honestStopped.live?.value ?? null, honest === 0 ? null : stopped / honest);
    }),
    { numRuns: 50 },
  );
  t.end();
});
