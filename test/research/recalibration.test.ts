/** Whether a project’s own labels correct the probabilities of a market that the model does not know. */
import t from 'tap';
import { calibrationErrorOf } from '../../research/panel/measures.js';
import { replayTraffic } from '../../research/panel/replay.js';
import { scoreAll } from '../../research/panel/service.js';
import { drawTraffic } from '../../research/panel/traffic.js';
import { calibrationDefaults } from '../../src/contract/calibration.js';
import { createRandom } from '../../workers/seeded-random.js';
import { decisionInputsOf } from '../../workers/scoring/verdict.js';
import { offerRecalibration } from '../../workers/thresholds/recalibration.js';

t.setTimeout(180_000);

/** Chance decides which sessions are labelled: the mean of several draws is judged. */
const draws = [9, 10, 11, 12, 13];

const errorMax = 0.025;

for (const withProbe of [true, false])
  t.test(
    `1,000 labels of a shifted market correct its probabilities, ${withProbe ? 'with' : 'without'} a probe`,
    async (t) => {
      const replayed = await replayTraffic(drawTraffic({ seed: 5_078, sessions: 7_000, market: 303 }), { withProbe });
      const before = scoreAll(replayed);
      const errors = draws.map((seed) => {
        const random = createRandom(seed);
        const order = before.map((_, n) => [random(), n] as const).sort(([a], [b]) => a - b);
        const labelled = order.slice(0, 1_000).map(([, n]) => before[n]!);
        const { curve } = offerRecalibration(
          labelled.map(({ outcome, fraud }) => ({ inputs: decisionInputsOf(outcome), fraud, count: 1 })),
        );
        const calibration = { ...calibrationDefaults, recalibration: curve ?? [] };
        const others = order.slice(1_000).map(([, n]) => n);
        const after = scoreAll(others.map((n) => ({ ...replayed[n]!, facts: { ...replayed[n]!.facts, calibration } })));
        const error = calibrationErrorOf(after);
        t.ok(error < calibrationErrorOf(others.map((n) => before[n]!)), `draw ${seed}: ${error}`);
        t.same(
          after.map(({ score }) => score),
          others.map((n) => before[n]?.score),
          'no score moves',
        );
        return error;
      });
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      t.ok(mean <= errorMax, `${mean}`);
    },
  );
