/** Every calibration knob at its bounds, for the project and for one source alone: what a score comes to, and that no other source is touched. */
import t from 'tap';
import { Value } from 'typebox/value';
import {
  calibrationDefaults,
  LiteConfig,
  resolveCalibration,
  type Calibration,
} from '../../../src/contract/calibration.js';
import { findContradictions } from '../../../src/projects/projects/project-patch.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanCounts, cleanFacts } from '../../helpers/facts.js';

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

/** Two axes agree, so that no ceiling holds the score. */
const agreeing = cleanFacts({ history, counts: cleanCounts({ deviceRespondentsDay: 8 }) });
const noProbe = { noProbeRiskScore: 60 };
const lean = { newUserPosture: 'review_lean' } as const;
const dispositive = { dispositiveSignals: ['confirmed_clawback' as const] };

/** Knobs that share a range, or that decide on the same score. */
const pairs: readonly (readonly [knobs: Knobs, facts: ScoreFacts, expected: Recommendation, detail?: object])[] = [
  // reviewLow and blockThreshold: equal ones leave no review band, and the ceiling is below both.
  [{ reviewLow: 50, blockThreshold: 50 }, clawedBack, 'allow', { score: 49, ceilings: ['uncorroborated'] }],
  [{ reviewLow: 50, blockThreshold: 50 }, agreeing, 'block'],
  [{ reviewLow: 49, blockThreshold: 50 }, clawedBack, 'review', { score: 49 }],
  // The ceiling follows blockThreshold in both directions, and never lets one axis block.
  [{ blockThreshold: 75 }, clawedBack, 'review', { score: 74 }],
  [{ blockThreshold: 87 }, clawedBack, 'review', { score: 86 }],
  [{ blockThreshold: 74.5 }, clawedBack, 'review', { score: 74 }],
  [{ reviewLow: 10, blockThreshold: 20 }, clawedBack, 'review', { score: 19 }],
  [{ reviewLow: 80, blockThreshold: 87 }, clawedBack, 'review', { score: 86 }],
  // Step-up stands in for allow and review from its threshold on, and never for a block.
  [{ ...stepUp, reviewLow: 40, stepUpThreshold: 80 }, clawedBack, 'review', { stepUpIntensity: 'none' }],
  [{ ...stepUp, reviewLow: 74, stepUpThreshold: 74 }, clawedBack, 'step_up'],
  [{ ...stepUp, reviewLow: 75, stepUpThreshold: 30 }, clawedBack, 'step_up', { stepUpIntensity: 'heavy' }],
  [{ ...stepUp, reviewLow: 60, stepUpThreshold: 50, blockThreshold: 60 }, clawedBack, 'step_up', { score: 59 }],
  [{ ...stepUp, stepUpThreshold: 0 }, agreeing, 'block', { stepUpIntensity: 'none' }],
  [{ ...stepUp, stepUpThreshold: 90, blockThreshold: 75 }, agreeing, 'block'],
  // Both step-up thresholds: the higher intensity from its own on, whatever the order of the two.
  [
    { ...stepUp, stepUpThreshold: 60, stepUpIntensityThreshold: 50 },
    clawedBack,
    'step_up',
    { stepUpIntensity: 'heavy' },
  ],
  [
    { ...stepUp, stepUpThreshold: 60, stepUpIntensityThreshold: 75 },
    clawedBack,
    'step_up',
    { stepUpIntensity: 'light' },
  ],
  // A missing probe and the thresholds: as high as asked, and below the block band.
  [noProbe, clean, 'review', { score: 60, ceilings: ['policy'] }],
  [{ ...noProbe, reviewLow: 61 }, clean, 'allow', { score: 60 }],
  [{ ...noProbe, blockThreshold: 50 }, clean, 'review', { score: 49 }],
  [{ ...noProbe, blockThreshold: 60 }, clean, 'review', { score: 59 }],
  [{ noProbeRiskScore: 80, blockThreshold: 87 }, clean, 'review', { score: 80 }],
  [{ ...noProbe, ...stepUp, stepUpThreshold: 60 }, clean, 'step_up'],
  [{ ...noProbe, ...lean }, clean, 'review', { ceilings: ['policy'] }],
  [{ noProbeRiskScore: 100, ...lean, blockThreshold: 100 }, clean, 'review', { score: 99 }],
  // A missing probe never lifts one axis into the block band, nor lowers two that agree.
  [{ noProbeRiskScore: 100 }, clawedBack, 'review', { score: 74 }],
  [noProbe, agreeing, 'block'],
  // A dispositive signal decides over every threshold, ceiling and policy.
  [{ ...dispositive, reviewLow: 100, blockThreshold: 100 }, clawedBack, 'block', { score: 100 }],
  [{ ...dispositive, ...noProbe }, clawedBack, 'block'],
  [{ ...dispositive, verifiedAgentPolicy: 'review' }, cleanFacts({ agent, history }), 'block'],
  // A project’s policy on verified agents replaces review and step-up, and no block.
  [{ ...stepUp, stepUpThreshold: 0, verifiedAgentPolicy: 'allow' }, cleanFacts({ agent, history }), 'allow'],
  [{ ...stepUp, stepUpThreshold: 0, verifiedAgentPolicy: 'review' }, cleanFacts({ agent, history }), 'review'],
  [{ reviewLow: 0, blockThreshold: 0, verifiedAgentPolicy: 'review' }, cleanFacts({ agent }), 'review', { score: 0 }],
  [{ ...noProbe, verifiedAgentPolicy: 'allow' }, cleanFacts({ agent }), 'allow', { score: 60 }],
];

const scoreUnder = (liteConfig: LiteConfig, sourceId: string, facts: ScoreFacts) =>
  scoreFacts({ ...facts, calibration: resolveCalibration(liteConfig, sourceId) }).reply;

t.test(
  'each knob at its bounds, and each pair, does what it says for the project and for one source alone',
  async (t) => {
    for (const [knobs, facts, recommendation, detail] of [...cases, ...pairs]) {
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
  },
);

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

t.test('a knob of the project and another of the source act together', async (t) => {
  const { score, recommendation } = scoreUnder(
    { reviewLow: 45, perSource: { s: { blockThreshold: 50 } } },
    's',
    clawedBack,
  );
  t.same({ score, recommendation }, { score: 49, recommendation: 'review' });
  const mixed = { ...stepUp, stepUpThreshold: 30, perSource: { s: { stepUpIntensityThreshold: 100 } } };
  t.match(scoreUnder(mixed, 's', clawedBack), { recommendation: 'step_up', stepUpIntensity: 'light' });
  t.match(scoreUnder(mixed, 'other', clawedBack), { recommendation: 'step_up', stepUpIntensity: 'heavy' });
  for (const [liteConfig, paths] of [
    [{ reviewLow: 76 }, ['/config/liteConfig/reviewLow']],
    [{ blockThreshold: 39 }, ['/config/liteConfig/reviewLow']],
    [{ reviewLow: 60, perSource: { s: { blockThreshold: 50 } } }, ['/config/liteConfig/perSource/s/reviewLow']],
    [{ blockThreshold: 50, perSource: { s: { reviewLow: 51 } } }, ['/config/liteConfig/perSource/s/reviewLow']],
    [{ blockThreshold: 50, perSource: { s: { reviewLow: 51, blockThreshold: 60 } } }, []],
    [{ reviewLow: 50, blockThreshold: 50 }, []],
    [{ stepUpThreshold: 90, stepUpIntensityThreshold: 10 }, []],
  ] as const)
    t.same(
      findContradictions({ name: 'knobs', config: { liteConfig } }).map(({ path }) => path),
      paths,
      JSON.stringify(liteConfig),
    );
});
