/** Labelled sessions by block level: the highest blockThreshold that still blocks them. Questions about a threshold are sums over it. */
import type {
  DecisionInputs,
  DistributionCell,
  HypotheticalDecision,
  HypotheticalThresholds,
  LevelCounts,
} from '../../src/contract/thresholds.js';
import { calibrationDefaults } from '../../src/contract/calibration.js';
import { applyCaps, recommend } from '../scoring/verdict.js';

const levels = 101;

export function countLevels(cells: readonly DistributionCell[]): LevelCounts {
  const honest = new Array<number>(levels).fill(0);
  const fraud = new Array<number>(levels).fill(0);
  for (const { inputs, label, count } of cells) {
    if (label !== 'honest' && label !== 'fraud') continue;
    const counts = label === 'honest' ? honest : fraud;
    const level = blockLevelOf(inputs);
    counts[level] = (counts[level] ?? 0) + count;
  }
  return { honest, fraud, honestTotal: sum(honest), fraudTotal: sum(fraud) };
}

/** How many a threshold from 1 to 100 blocks. */
export function blockedAt(counts: readonly number[], blockThreshold: number): number {
  return sum(counts.slice(blockThreshold));
}

/** Adds the rest of a project with a weight for each kind of label, which shares rates and not sizes. */
export function borrow(own: LevelCounts, rest: LevelCounts, honest: number, fraud: number): LevelCounts {
  const mixed = (mine: readonly number[], theirs: readonly number[], total: number, weight: number): number[] =>
    mine.map((count, level) => count + (total === 0 ? 0 : ((theirs[level] ?? 0) * weight) / total));
  return {
    honest: mixed(own.honest, rest.honest, rest.honestTotal, honest),
    fraud: mixed(own.fraud, rest.fraud, rest.fraudTotal, fraud),
    honestTotal: own.honestTotal + (rest.honestTotal === 0 ? 0 : honest),
    fraudTotal: own.fraudTotal + (rest.fraudTotal === 0 ? 0 : fraud),
  };
}

export function subtract(all: LevelCounts, own: LevelCounts): LevelCounts {
  const less = (counts: readonly number[], mine: readonly number[]): number[] =>
    counts.map((count, level) => count - (mine[level] ?? 0));
  return {
    honest: less(all.honest, own.honest),
    fraud: less(all.fraud, own.fraud),
    honestTotal: all.honestTotal - own.honestTotal,
    fraudTotal: all.fraudTotal - own.fraudTotal,
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

export function decide(inputs: DecisionInputs, thresholds: HypotheticalThresholds): HypotheticalDecision {
  const { reviewLow, blockThreshold } = thresholds;
  const score = applyCaps(inputs.uncapped, inputs.caps, blockThreshold);
  const calibration = {
    ...calibrationDefaults,
    reviewLow,
    blockThreshold,
    stepUpEnabled: inputs.stepUpThreshold !== null,
    stepUpThreshold: thresholds.stepUpThreshold ?? inputs.stepUpThreshold ?? calibrationDefaults.stepUpThreshold,
  };
  return {
    score,
    recommendation: recommend(score, calibration, inputs.agentPolicy, inputs.caps.includes('dispositive'))
      .recommendation,
    isHeld:
      score < blockThreshold && applyCaps(inputs.uncapped, corroborated(inputs), blockThreshold) >= blockThreshold,
  };
}

const corroborated = ({ caps }: DecisionInputs): readonly string[] => caps.filter((cap) => cap !== 'uncorroborated');

/** The highest whole blockThreshold from 1 to 100 that would block such a session; 0 where none does. Lower ones block it as well. */
export function blockLevelOf(inputs: DecisionInputs): number {
  let blocks = 0;
  let passes = 101;
  while (passes - blocks > 1) {
    const middle = Math.floor((blocks + passes) / 2);
    const thresholds = { reviewLow: 0, blockThreshold: middle, stepUpThreshold: null };
    if (decide(inputs, thresholds).recommendation === 'block') blocks = middle;
    else passes = middle;
  }
  return blocks;
}
