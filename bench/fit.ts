/**
 * Fits the weights of scoring on simulated traffic of the train seeds, and writes workers/scoring/model.json. An expert’s weight is the prior: what the
 * simulator shows seldom, or not at all, keeps it. Run the bench `quality` before and after.
 */
import { writeFileSync } from 'node:fs';
import type { BenchResult } from './bench-result.js';
import { markdownTable } from './markdown.js';
import { calibrationDefaults } from '../src/contract/calibration.js';
import { scoreOf } from '../workers/scoring/model.js';
import { groupBy, shareOf } from './panel/measures.js';
import { fitLogistic, type FitPrior, type FitRow } from './panel/logistic.js';
import { replayTraffic, type ReplayedSession } from './panel/replay.js';
import { drawTraffic } from './panel/traffic.js';
import { fullWeightOf, hashFit } from '../workers/scoring/fitted.js';
import { rules } from '../workers/scoring/rule-set.js';
import { scoreFacts } from '../workers/scoring/score.js';

export interface FitOptions {
  /** Sessions of each train seed. */
  readonly traffic: number;
  /** Where the weights go; null keeps them. */
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
/** Most that a session without evidence may be thought to be fraud, without a probe and with one: panels have 1-7% (Pew 2020), the simulator 12%. */
const cleanMax = [0.07, 0.04] as const;

/** Most of an honest group that may be stopped and blocked; half of what the test allows, since other seeds differ. */
const [stoppedMax, blockedMax] = [0.015, 0.005] as const;
/** Rounds in which a mistake about a group beyond its limits comes to cost more, and by how much each. */
const [limitRounds, costGrowth] = [7, 1.6] as const;

export async function benchFit({ traffic, fitFile = 'workers/scoring/model.json' }: FitOptions): Promise<BenchResult> {
  const replayed: ReplayedSession[] = [];
  for (const train of trainSeeds)
    for (const withProbe of [false, true])
      replayed.push(...(await replayTraffic(drawTraffic({ ...train, sessions: traffic }), { withProbe })));
  return fitWeights(replayed, fitFile);
}

function fitWeights(replayed: readonly ReplayedSession[], fitFile: string | null): BenchResult {
  const seen = replayed.map(readShares);
  const counts = new Map<string, number>();
  for (const { shares } of seen) for (const code of shares.keys()) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = Object.keys(rules).filter((code) => isFitted(code) && (counts.get(code) ?? 0) >= sessionsMin);
  const numbers = new Map(codes.map((code, number) => [code, number]));
  const rows = seen.map(({ fraud, label, isProbed, shares }): LabelledRow => ({
    fraud,
    label,
    emphasis: 1,
    group: Number(isProbed),
    features: [...shares].flatMap(([code, share]) => {
      const number = numbers.get(code);
      return number === undefined ? [] : [[number, share] as const];
    }),
  }));
  const { weights, clean } = fitWithinLimits(rows, codes.map(priorOf));
  const fitted = Object.fromEntries(codes.map((code, number) => [code, Math.round(100 * weights[number]!) / 100]));
  const [unprobed = 0, probed = 0] = clean;
  const fit = { provenance: provenanceOf(replayed.length), cleanProbability: { probed, unprobed }, weights: fitted };
  if (fitFile !== null) writeFileSync(fitFile, `${JSON.stringify({ hash: hashFit(fit), ...fit }, null, 2)}\n`);
  const table = markdownTable(
    ['finding', 'sessions', 'expert', 'fitted'],
    codes.map((code) => [code, String(counts.get(code)), String(rules[code]?.weight), String(fitted[code])]),
  );
  return {
    table: `${table}\nclean: ${probed} with a probe, ${unprobed} without\n`,
    ratios: { findings: codes.length, probed, unprobed },
  };
}

interface LabelledRow extends FitRow {
  readonly label: string;
}

/** Fits until no honest group is stopped or blocked more often than its limits say, as far as its cost can be raised. */
function fitWithinLimits(
  rows: readonly LabelledRow[],
  priors: readonly FitPrior[],
): { readonly weights: Float64Array; readonly clean: readonly number[] } {
  const costs = new Map<string, number>();
  for (let round = 1; ; round += 1) {
    const priced = rows.map((row) => ({ ...row, emphasis: costs.get(row.label) ?? 1 }));
    const { weights } = fitLogistic(priced, priors, 2);
    const fixed = [...weights].map((weight) => ({ weight, deviation: 1, min: weight, max: weight }));
    const clean = [...fitLogistic(rows, fixed, 2).intercepts].map((logit, group) =>
      Math.min(cleanMax[group] ?? 0, Math.round(1e4 / (1 + Math.exp(-logit))) / 1e4),
    );
    const beyond = groupsBeyond(rows, weights, clean);
    if (beyond.length === 0 || round === limitRounds) return { weights, clean };
    for (const label of beyond) costs.set(label, costGrowth * (costs.get(label) ?? 1));
  }
}

function groupsBeyond(rows: readonly LabelledRow[], weights: Float64Array, clean: readonly number[]): string[] {
  const { reviewLow, blockThreshold } = calibrationDefaults;
  const scored = rows
    .filter(({ fraud }) => !fraud)
    .map(({ label, group, features }) => ({
      key: `${label}\n${group}`,
      score: scoreOf(
        features.reduce((sum, [feature, share]) => sum + weights[feature]! * share, 0),
        clean[group],
      ),
    }));
  return [...groupBy(scored, ({ key }) => key)]
    .filter(
      ([, group]) =>
        shareOf(group, ({ score }) => score >= reviewLow) > stoppedMax ||
        shareOf(group, ({ score }) => score >= blockThreshold) > blockedMax,
    )
    .map(([key]) => key.split('\n')[0] ?? '');
}

const provenanceOf = (sessions: number): string =>
  `npm run bench -- fit: ${sessions} simulated sessions of seeds ${trainSeeds.map(({ seed }) => seed).join(', ')}; experts' weights as priors`;

/** What a project’s policy weighs, what is impossible and what was adjudicated is nobody’s to fit. */
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
  // Who looks elsewhere for one honest reason does so in several ways, which no simulator knows the share of.
  const growth = rules[code]?.axis === 'network' ? 1 : growthMax;
  const most = Math.min(rules[code]?.severity === 'low' ? lowMax : weightMax, growth * Math.abs(weight));
  const least = (Math.abs(weight) >= provenMin && most >= Math.abs(weight) ? provenShrinkMax : shrinkMax) * weight;
  return weight > 0 ? { weight, deviation, min: least, max: most } : { weight, deviation, min: -most, max: least };
}

/** The findings of a session, each with the share of its full weight; of what speaks in favour, the share that counted. */
function readShares({ session, facts }: ReplayedSession): {
  readonly fraud: boolean;
  readonly label: string;
  readonly isProbed: boolean;
  readonly shares: ReadonlyMap<string, number>;
} {
  const { contributions } = scoreFacts(facts);
  const shares = new Map<string, number>();
  for (const { code, weight, applied } of contributions) {
    const full = fullWeightOf(code);
    if (weight !== 0 && full !== 0) shares.set(code, Math.min(1, (weight < 0 ? applied : weight) / full));
  }
  const { fraud, label } = session.truth;
  return { fraud, label, isProbed: facts.probe !== null, shares };
}
