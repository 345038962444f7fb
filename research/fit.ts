/**
 * Fits the weights of scoring on simulated traffic of the train seeds, and writes workers/scoring/model.json. An expert’s weight is the prior: what the
 * simulator shows seldom, or not at all, keeps it. Run the bench `quality` before and after.
 */
import type { BenchResult } from '../bench/bench-result.js';
import { markdownTable } from '../bench/markdown.js';
import { calibrationDefaults } from '../src/contract/calibration.js';
import { createWeigh, type Fit } from '../workers/scoring/fitted.js';
import { scoreOf, type Signal } from '../workers/scoring/model.js';
import { fuseSignals } from '../workers/scoring/risk.js';
import { rules } from '../workers/scoring/rule-set.js';
import { raiseSignals } from '../workers/scoring/score.js';
import { readVisit } from '../workers/scoring/visit.js';
import { solveClean, type Balanced } from './panel/calibrate.js';
import { fitLogistic, type FitPrior, type FitRow } from './panel/logistic.js';
import { groupBy, shareOf } from './panel/measures.js';
import { replayTraffic, type ReplayedSession } from './panel/replay.js';
import { drawTraffic } from './panel/traffic.js';
import { calibrateFit, writeFit } from './probability.js';

export interface FitOptions {
  /** Sessions of each train seed. */
  readonly traffic: number;
  /** The weights are written here; null keeps them. */
  readonly fitFile?: string | null;
}

/** None of the bench `quality`; markets are other rates, without the kinds that no fit may see. */
const trainSeeds = [
  { seed: 11 },
  { seed: 12 },
  { seed: 13, market: 501, forFit: true },
  { seed: 14, market: 502, forFit: true },
] as const;
/** Sessions that show a finding, from which on its weight is fitted. */
const sessionsMin = 25;
/** How far the simulator may move an expert’s weight: deviation of the prior, and the range of the result, as shares of the weight. */
const [priorShare, priorFloor, growthMax, weightMax] = [0.4, 0.25, 1.6, 4.8];
/** Least share of the expert’s weight that stays: more of what recordings of real browsers have shown, which weighs `provenMin` or more. */
const [shrinkMax, provenShrinkMax, provenMin] = [0.35, 0.75, 2];
/** Most that a finding of low severity may become: it alone never leads to review. */
const lowMax = 2;

/** Most of an honest group that may be stopped and blocked; half of what the test allows, since other seeds differ. */
const [stoppedMax, blockedMax] = [0.015, 0.005] as const;
/** Rounds in which a mistake about a group beyond its limits comes to cost more, and by how much each. */
const [limitRounds, costGrowth] = [7, 1.6] as const;

export async function benchFit({ traffic, fitFile = 'workers/scoring/model.json' }: FitOptions): Promise<BenchResult> {
  const replayed: Drawn[] = [];
  for (const train of trainSeeds)
    for (const withProbe of [false, true]) {
      const drawn = await replayTraffic(drawTraffic({ ...train, sessions: traffic }), { withProbe });
      replayed.push(...drawn.map((one) => ({ ...one, market: 'market' in train ? train.market : 0 })));
    }
  return fitWeights(replayed, traffic, fitFile);
}

interface Drawn extends Pick<ReplayedSession, 'facts'> {
  readonly session: { readonly truth: Pick<ReplayedSession['session']['truth'], 'fraud' | 'label'> };
  /** 0: the published rates. */
  readonly market: number;
}

async function fitWeights(replayed: readonly Drawn[], traffic: number, fitFile: string | null): Promise<BenchResult> {
  const raised = replayed.map(({ facts }) => raiseSignals(readVisit(facts)));
  const counts = new Map<string, number>();
  for (const signals of raised)
    for (const { code, weight } of signals) if (weight !== 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = Object.keys(rules).filter((code) => isFitted(code) && (counts.get(code) ?? 0) >= sessionsMin);
  const numbers = new Map(codes.map((code, number) => [code, number]));
  const rows = replayed.map(({ session, facts, market }, row): LabelledRow => {
    const signals = raised[row] ?? [];
    return {
      signals,
      market,
      fraud: session.truth.fraud,
      label: session.truth.label,
      emphasis: 1,
      group: Number(facts.probe !== null),
      features: signals.flatMap(({ code, rule, weight }) => {
        const number = numbers.get(code);
        return number === undefined || weight === 0 ? [] : [[number, weight / rule.weight] as const];
      }),
    };
  });
  const fit = { provenance: provenanceOf(replayed.length), ...fitWithinLimits(rows, codes) };
  if (fitFile !== null) writeFit(fitFile, await calibrateFit(fit, traffic));
  const table = markdownTable(
    ['finding', 'sessions', 'expert', 'fitted'],
    codes.map((code) => [code, String(counts.get(code)), String(rules[code]?.weight), String(fit.weights[code])]),
  );
  const { probed, unprobed } = fit.cleanProbability;
  return {
    table: `${table}\nclean: ${probed} with a probe, ${unprobed} without\n`,
    ratios: { findings: codes.length, probed, unprobed },
  };
}

interface LabelledRow extends FitRow {
  readonly label: string;
  readonly market: number;
  readonly signals: readonly Signal[];
}

/** Fits until no honest group is stopped or blocked more often than its limits say, as far as its cost can be raised. */
function fitWithinLimits(
  rows: readonly LabelledRow[],
  codes: readonly string[],
): Pick<Fit, 'cleanProbability' | 'weights'> {
  const priors = codes.map(priorOf);
  const costs = new Map<string, number>();
  for (let round = 1; ; round += 1) {
    const priced = rows.map((row) => ({ ...row, emphasis: costs.get(row.label) ?? 1 }));
    const fitted = fitLogistic(priced, priors, 2).weights;
    const weights = Object.fromEntries(codes.map((code, number) => [code, roundTo(fitted[number]!, 2)]));
    const weigh = createWeigh(weights);
    const fused = rows.map(({ signals, ...row }): FusedRow => ({ ...row, ...fuseSignals(weigh(signals), 1) }));
    const [unprobed = [], probed = []] = [0, 1].map((group) => fused.filter((row) => row.group === group));
    const cleanProbability = { probed: solveClean(probed), unprobed: solveClean(unprobed) };
    const beyond = groupsBeyond(fused, [cleanProbability.unprobed, cleanProbability.probed]);
    if (beyond.length === 0 || round === limitRounds) return { cleanProbability, weights };
    for (const label of beyond) costs.set(label, costGrowth * (costs.get(label) ?? 1));
  }
}

type FusedRow = Omit<LabelledRow, 'signals'> & Balanced;

const roundTo = (value: number, digits: number): number => Math.round(10 ** digits * value) / 10 ** digits;

function groupsBeyond(rows: readonly FusedRow[], clean: readonly number[]): string[] {
  const { reviewLow, blockThreshold } = calibrationDefaults;
  const scored = rows
    .filter(({ fraud }) => !fraud)
    .map(({ label, group, weight }) => ({ key: `${label}\n${group}`, score: scoreOf(weight, clean[group]) }));
  return [...groupBy(scored, ({ key }) => key)]
    .filter(
      ([, group]) =>
        shareOf(group, ({ score }) => score >= reviewLow) > stoppedMax ||
        shareOf(group, ({ score }) => score >= blockThreshold) > blockedMax,
    )
    .map(([key]) => key.split('\n')[0] ?? '');
}

const provenanceOf = (sessions: number): string =>
  `npm run bench -- fit --traffic 8000: ${sessions} simulated sessions of seeds ${trainSeeds.map(({ seed }) => seed).join(', ')}; experts' weights as priors`;

/** A fit excludes policy of a project, impossible findings and adjudicated ones. */
function isFitted(code: string): boolean {
  const rule = rules[code];
  return (
    rule !== undefined &&
    rule.weight !== 0 &&
    ['correlate', 'exculpatory'].includes(rule.class) &&
    !code.startsWith('respondent_')
  );
}

function priorOf(code: string): FitPrior {
  const weight = rules[code]?.weight ?? 0;
  const deviation = priorShare * Math.abs(weight) + priorFloor;
  // A person who looks elsewhere for one honest reason does so in several ways, and no simulator knows their share.
  const growth = rules[code]?.axis === 'network' ? 1 : growthMax;
  const most = Math.min(rules[code]?.severity === 'low' ? lowMax : weightMax, growth * Math.abs(weight));
  const least = (Math.abs(weight) >= provenMin && most >= Math.abs(weight) ? provenShrinkMax : shrinkMax) * weight;
  return weight > 0 ? { weight, deviation, min: least, max: most } : { weight, deviation, min: -most, max: least };
}
