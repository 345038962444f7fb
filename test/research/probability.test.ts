/** Whether probabilities hold on sessions of seeds that neither the fit, nor its calibration, nor the bench has seen. */
import t from 'tap';
import { calibrationErrorOf, shareOf } from '../../research/panel/measures.js';
import { replayTraffic } from '../../research/panel/replay.js';
import { scoreAll } from '../../research/panel/service.js';
import { honestBelow } from '../../workers/scoring/fitted.js';
import { drawTraffic } from '../../research/panel/traffic.js';

t.setTimeout(180_000);

const traffic = { seed: 4_242, sessions: 6_000 };
for (const [name, rates, errorMax] of [
  ['published rates', {}, 0.02],
  ['shifted rates', { market: 303 }, 0.04],
] as const)
  for (const withProbe of [true, false])
    t.test(`probabilities hold at ${name}, ${withProbe ? 'with' : 'without'} a probe`, async (t) => {
      const scored = scoreAll(await replayTraffic(drawTraffic({ ...traffic, ...rates }), { withProbe }));
      const error = calibrationErrorOf(scored);
      t.ok(error <= errorMax, `expected calibration error ${error}`);
      const honest = scored.filter(({ fraud }) => !fraud);
      for (const [score, distanceMax] of [
        [25, 2],
        [40, 1],
      ] as const) {
        const below = 100 * shareOf(honest, (one) => one.score < score);
        t.ok(
          Math.abs(below - honestBelow(score, withProbe)) < distanceMax,
          `${below}% of the honest are below ${score}`,
        );
      }
    });
