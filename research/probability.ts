/**
 * Calibrates a fit: from simulated sessions of seeds that no weight was fitted on come the curves from the balance of evidence to a probability,
 * and the distribution of honest scores. The bench keeps the weights of workers/scoring/model.json, so that no score moves.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { BenchResult } from '../bench/bench-result.js';
import { createWeigh, hashFit, type Fit } from '../workers/scoring/fitted.js';
import { scoreOf } from '../workers/scoring/model.js';
import { fuseSignals } from '../workers/scoring/risk.js';
import { raiseSignals } from '../workers/scoring/score.js';
import { defaultScoreOf } from '../workers/scoring/verdict.js';
import { readVisit } from '../workers/scoring/visit.js';
import { calibrate, shareBelow, type Balanced } from './panel/calibrate.js';
import { replayTraffic } from './panel/replay.js';
import { drawTraffic } from './panel/traffic.js';

export interface ProbabilityOptions {
  /** Sessions of each seed at the published rates; a market has half. */
  readonly traffic: number;
  /** Read, and written with other probabilities. */
  readonly fitFile?: string;
}

/** None of the fit or the bench `quality`; markets are other rates, without the kinds that no fit may see. */
const publishedSeeds = [21, 22, 23, 24, 25, 26, 27, 28];
const markets = [511, 512, 513, 514, 515, 516];

export async function benchProbability({
  traffic,
  fitFile = 'workers/scoring/model.json',
}: ProbabilityOptions): Promise<BenchResult> {
  const fit = await calibrateFit(JSON.parse(readFileSync(fitFile, 'utf8')) as Fit, traffic);
  writeFit(fitFile, fit);
  const { probed, unprobed } = fit.calibration;
  return {
    table: `${JSON.stringify(fit.calibration)}\n`,
    ratios: { probed: probed.at(-1)?.[1] ?? 0, unprobed: unprobed.at(-1)?.[1] ?? 0 },
  };
}

export function writeFit(
  fitFile: string,
  { provenance, cleanProbability, calibration, honestBelow, weights }: Fit,
): void {
  const fit = { provenance, cleanProbability, calibration, honestBelow, weights };
  writeFileSync(fitFile, `${JSON.stringify({ hash: hashFit(fit), ...fit }, null, 2)}\n`);
}

type Weights = Pick<Fit, 'provenance' | 'cleanProbability' | 'weights'>;
type Reference = Balanced & { readonly isProbed: boolean; readonly score: number };

export async function calibrateFit({ provenance, cleanProbability, weights }: Weights, traffic: number): Promise<Fit> {
  const sessions: Reference[] = [];
  const weigh = createWeigh(weights);
  for (const [n, market] of [...publishedSeeds.map(() => 0), ...markets].entries())
    for (const withProbe of [false, true]) {
      const rates = market === 0 ? {} : { market, forFit: true };
      const seed = (publishedSeeds[0] ?? 0) + n;
      const drawn = drawTraffic({ seed, sessions: market === 0 ? traffic : traffic / 2, ...rates });
      for (const { session, facts } of await replayTraffic(drawn, { withProbe })) {
        const isProbed = facts.probe !== null;
        const { weight, balance, agreeing } = fuseSignals(weigh(raiseSignals(readVisit(facts))), 1);
        const uncapped = scoreOf(weight, cleanProbability[isProbed ? 'probed' : 'unprobed']);
        const score = defaultScoreOf({ uncapped, caps: [], isLone: agreeing < 2 });
        sessions.push({ fraud: session.truth.fraud, market, weight, balance, isProbed, score });
      }
    }
  const [weighed = ''] = provenance.split(probabilityMark);
  const probed = sessions.filter(({ isProbed }) => isProbed);
  const unprobed = sessions.filter(({ isProbed }) => !isProbed);
  return {
    provenance: `${weighed}${probabilityMark}--traffic ${traffic}: ${sessions.length} of other seeds`,
    cleanProbability,
    calibration: { probed: calibrate(probed), unprobed: calibrate(unprobed) },
    honestBelow: { probed: honestBelow(probed), unprobed: honestBelow(unprobed) },
    weights,
  };
}

const probabilityMark = '. Probabilities: npm run bench -- probability ';

/** At the published rates. */
const honestBelow = (sessions: readonly Reference[]): number[] =>
  shareBelow(sessions.filter(({ market, fraud }) => market === 0 && !fraud).map(({ score }) => score));
