/** Every calibration knob at its bounds, for the project and for one source alone: what a score comes to, and that no other source is touched. */
import t from 'tap';
import { Value } from 'typebox/value';
import {
  calibrationDefaults,
  LiteConfig,
  resolveCalibration,
  type Calibration,
} from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts } from '../../helpers/facts.js';

type Knobs = Partial<Calibration>;
type Recommendation = 'allow' | 'review' | 'block' | 'step_up';

const clean = cleanFacts();
const history = { respondent: { n: 1, fraud: 1, confirmedClawbacks: 1 }, source: null, subSource: null };
/** One axis says all it can: below the block band, by the uncorroborated ceiling. */
const clawedBack = cleanFacts({ history });
const hosting = { ...clean.address, network: 'hosting' as const };
const agent = { outcome: 'verified' as const, agent: 'shopper', reason: null };
const stepUp = { stepUpEnabled: true };

const cases: readonly (readonly [knobs: Knobs, facts: ScoreFacts, expected: Recommendation, detail?: object])[] = [
  [{}, clean, 'allow', { score: 0 }],
  [{}, clawedBack, 'review'],
  [{ reviewLow: 0 }, clean, 'allow', { score: 0 }],
  [{ reviewLow: 0 }, clawedBack, 'review'],
  [{ reviewLow: 100, blockThreshold: 100 }, clawedBack, 'allow'],
  [{ reviewLow: 0, blockThreshold: 0 }, clean, 'allow', { score: 0 }],
  // One axis alone never reaches the block band, and there is nothing below it.
  [{ reviewLow: 0, blockThreshold: 0 }, clawedBack, 'allow', { score: 0 }],
  [{ reviewLow: 0, blockThreshold: 1 }, clawedBack, 'allow', { score: 0 }],
  [{ reviewLow: 0, blockThreshold: 2 }, clawedBack, 'review', { score: 1 }],
  [{ blockThreshold: 100, dispositiveSignals: ['confirmed_clawback'] }, clawedBack, 'block', { score: 100 }],
  [{ noProbeRiskScore: 0 }, clean, 'allow'],
  [{ noProbeRiskScore: 100 }, clean, 'review', { score: 74 }],
  [{ noProbeRiskScore: 100, reviewLow: 0, blockThreshold: 1 }, clean, 'allow', { score: 0 }],
  [{ stepUpEnabled: false, stepUpThreshold: 0 }, clawedBack, 'review', { stepUpIntensity: 'none' }],
  [{ ...stepUp, stepUpThreshold: 0 }, clean, 'step_up', { stepUpIntensity: 'light' }],
  [{ ...stepUp, stepUpThreshold: 100 }, clawedBack, 'review', { stepUpIntensity: 'none' }],
  [{ ...stepUp, stepUpIntensityThreshold: 0 }, clawedBack, 'step_up', { stepUpIntensity: 'heavy' }],
  [{ ...stepUp, stepUpIntensityThreshold: 100 }, clawedBack, 'step_up', { stepUpIntensity: 'light' }],
  [{ ...stepUp, dispositiveSignals: ['confirmed_clawback'] }, clawedBack, 'block', { stepUpIntensity: 'none' }],
  [{ dispositiveSignals: ['device_farm'] }, clawedBack, 'review'],
  [{ dispositiveSignals: ['confirmed_clawback', 'device_farm'] }, clawedBack, 'block'],
  [{ newUserPosture: 'neutral' }, clean, 'allow', { score: 0 }],
  [{ newUserPosture: 'review_lean', blockThreshold: 2, reviewLow: 0 }, clean, 'review', { score: 1 }],
  [{ verifiedAgentPolicy: 'score_normally' }, cleanFacts({ agent }), 'allow'],
  [{ verifiedAgentPolicy: 'review' }, cleanFacts({ agent }), 'review'],
  [{ verifiedAgentPolicy: 'allow' }, cleanFacts({ agent, history }), 'allow'],
  [
    { verifiedAgentPolicy: 'allow', dispositiveSignals: ['confirmed_clawback'] },
    cleanFacts({ agent, history }),
    'block',
  ],
];

const scoreUnder = (liteConfig: LiteConfig, sourceId: string, facts: ScoreFacts) =>
  scoreFacts({ ...facts, calibration: resolveCalibration(liteConfig, sourceId) }).reply;

t.test('each knob at its bounds does what it says, for the project and for one source alone', async (t) => {
  for (const [knobs, facts, recommendation, detail] of cases) {
    const name = JSON.stringify(knobs);
    const wide = knobs;
    const single = { perSource: { s: knobs } };
    t.ok(Value.Check(LiteConfig, wide) && Value.Check(LiteConfig, single), `${name} is within the bounds`);
    t.match(scoreUnder(wide, 's', facts), { recommendation, ...detail }, name);
    t.match(scoreUnder(single, 's', facts), { recommendation, ...detail }, `${name} for a source`);
    t.same(scoreUnder(single, 'other', facts), scoreUnder({}, 'other', facts), `${name} for another source`);
    const opposed = { ...calibrationDefaults, perSource: { s: { ...calibrationDefaults, ...knobs } } };
    t.match(scoreUnder(opposed, 's', facts), { recommendation, ...detail }, `${name} over the project’s`);
  }
});

t.test('every knob has a case at each of its bounds, and what lies beyond them is refused', async (t) => {
  const tried = (knob: string) => cases.flatMap(([knobs]) => (knob in knobs ? [knobs[knob as keyof Knobs]] : []));
  for (const knob of Object.keys(calibrationDefaults))
    t.ok(knob === 'geoRiskWeights' || tried(knob).length > 1, `${knob} is tried`);
  for (const knob of [
    'reviewLow',
    'blockThreshold',
    'noProbeRiskScore',
    'stepUpThreshold',
    'stepUpIntensityThreshold',
  ]) {
    t.ok(tried(knob).includes(0) && tried(knob).includes(100), `${knob} at 0 and at 100`);
    for (const value of [-1, 101, null]) {
      t.notOk(Value.Check(LiteConfig, { [knob]: value }), `${knob} ${value}`);
      t.notOk(Value.Check(LiteConfig, { perSource: { s: { [knob]: value } } }), `${knob} ${value} for a source`);
    }
  }
  for (const weight of [0.49, 2.01]) t.notOk(Value.Check(LiteConfig, { geoRiskWeights: { DE: weight } }));
});

t.test(
  'geoRiskWeights at its bounds moves the network axis of that country, and alone never past review',
  async (t) => {
    const abroad = cleanFacts({ address: hosting });
    const [half, plain, twice, other] = [{ DE: 0.5 }, {}, { DE: 2 }, { FR: 2 }].map((geoRiskWeights) =>
      scoreUnder({ perSource: { s: { geoRiskWeights, reviewLow: 1 } } }, 's', abroad),
    );
    t.ok((half?.categories.network ?? 0) < (plain?.categories.network ?? 0));
    t.ok((plain?.categories.network ?? 0) < (twice?.categories.network ?? 0));
    t.equal(other?.score, plain?.score);
    t.equal(twice?.recommendation, 'review');
  },
);
