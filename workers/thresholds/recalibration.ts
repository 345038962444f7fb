/**
 * A project’s own probabilities, from its labels: a curve from the probability of the model to the one that the labels show. Offered and never
 * applied. Under the labels that recommended thresholds need there is a shortfall and no curve. Pure.
 *
 * The curve is Platt’s, with two parameters, whatever the number of labels: labels are counted by score, and half of all sessions score 0, so that
 * a curve by blocks of labels (isotonic) levels what the probability distinguishes there.
 */
import type { Recalibration } from '../../src/contract/calibration.js';
import type { CalibrationReply, LabelledCell } from '../../src/contract/reports.js';
import { falseBlockTargetDefault } from '../../src/contract/thresholds.js';
import { interpolate } from '../scoring/fitted.js';
import { logit } from '../scoring/model.js';
import { expectedAt } from '../scoring/probability.js';
import { evidenceScoreOf } from '../scoring/verdict.js';
import { confidence, fraudNeeded } from './fit.js';
import { trialsNeeded } from './statistics.js';

/** Probabilities of the model at which the curve is written down. */
const places = [0.001, 0.004, 0.015, 0.04, 0.08, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99];
/** Weight of the prior on a slope of 1, in logits: few labels leave the model’s order of sizes as it is. */
const slopePrecision = 1;
const reach = 1.96;

interface Group {
  /** The model’s probability of a score. */
  readonly at: number;
  readonly sessions: number;
  readonly fraud: number;
}

export function offerRecalibration(cells: readonly LabelledCell[]): CalibrationReply['recalibration'] {
  const groups = groupByScore(cells);
  const sessions = sum(groups, (group) => group.sessions);
  const fraud = sum(groups, (group) => group.fraud);
  const shortfall = {
    honest: Math.max(0, trialsNeeded(0, falseBlockTargetDefault, confidence) - (sessions - fraud)),
    fraud: Math.max(0, fraudNeeded - fraud),
  };
  if (shortfall.honest + shortfall.fraud > 0) return { status: 'insufficient_data', curve: null, shortfall, ece: null };
  const curve = fitPlatt(groups);
  const errorOf = (probabilityAt: (at: number) => number): number =>
    sum(groups, (group) => Math.abs(group.sessions * probabilityAt(group.at) - group.fraud)) / sessions;
  const ece = { before: errorOf((at) => at), after: errorOf((at) => interpolate(curve, at).value) };
  return { status: 'ok', curve, shortfall: null, ece };
}

/** By rising probability. */
function groupByScore(cells: readonly LabelledCell[]): Group[] {
  const groups = new Map<number, Group>();
  for (const { inputs, fraud, count } of cells) {
    const at = expectedAt(evidenceScoreOf(inputs));
    const { sessions = 0, fraud: frauds = 0 } = groups.get(at) ?? {};
    groups.set(at, { at, sessions: sessions + count, fraud: frauds + (fraud ? count : 0) });
  }
  return [...groups.values()].sort((a, b) => a.at - b.at);
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
const steps = 60;
const shareMin = 1e-6;

interface Line {
  readonly offset: number;
  readonly slope: number;
}

/**
 * Newton’s method on the log-odds, from a level curve; the inverse of its last matrix is the covariance of the two parameters. A step that would
 * make the fit worse is halved: labels that are all of one kind above a score would let it diverge.
 */
function fitPlatt(groups: readonly Group[]): Recalibration {
  let line: Line = {
    offset: logit(sum(groups, ({ fraud }) => fraud) / sum(groups, ({ sessions }) => sessions)),
    slope: 0,
  };
  for (let step = 0; step < steps; step += 1) {
    const { matrix, byOffset, bySlope } = derivativesAt(line, groups);
    const determinant = matrix.offset * matrix.slope - matrix.both ** 2;
    // A slope that stops at 0 leaves the offset its own best step, so that a level curve is at the share of fraud.
    const bySlopeStep = Math.max(-line.slope, (matrix.both * byOffset - matrix.offset * bySlope) / determinant);
    const byOffsetStep = -(byOffset + matrix.both * bySlopeStep) / matrix.offset;
    const stepped = (share: number): Line => ({
      offset: line.offset + share * byOffsetStep,
      slope: line.slope + share * bySlopeStep,
    });
    let share = 1;
    while (share > shareMin && !(lossOf(stepped(share), groups) <= lossOf(line, groups))) share /= 2;
    if (share > shareMin) line = stepped(share);
  }
  const { matrix } = derivativesAt(line, groups);
  const determinant = matrix.offset * matrix.slope - matrix.both ** 2;
  return places.map((at) => {
    const x = logit(at);
    const deviation = Math.sqrt((matrix.slope - 2 * matrix.both * x + matrix.offset * x * x) / determinant);
    const [value = 0, low = 0, high = 0] = [0, -reach, reach].map((times) =>
      rounded(sigmoid(line.offset + line.slope * x + times * deviation)),
    );
    return [at, value, low, high];
  });
}

/** How badly a line fits, with the prior on its slope: less the logarithm of the probability. */
function lossOf({ offset, slope }: Line, groups: readonly Group[]): number {
  const ofLabels = sum(groups, ({ at, sessions, fraud }) => {
    const z = offset + slope * logit(at);
    return sessions * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))) - fraud * z;
  });
  return ofLabels + (slopePrecision * (slope - 1) ** 2) / 2;
}

function derivativesAt({ offset, slope }: Line, groups: readonly Group[]) {
  let [byOffset, bySlope] = [0, slopePrecision * (slope - 1)];
  const matrix = { offset: 0, both: 0, slope: slopePrecision };
  for (const { at, sessions, fraud } of groups) {
    const x = logit(at);
    const share = sigmoid(offset + slope * x);
    const weight = sessions * share * (1 - share);
    byOffset += sessions * share - fraud;
    bySlope += (sessions * share - fraud) * x;
    matrix.offset += weight;
    matrix.both += weight * x;
    matrix.slope += weight * x * x;
  }
  return { byOffset, bySlope, matrix };
}

const rounded = (value: number): number => Math.round(1e4 * value) / 1e4;

const sum = (groups: readonly Group[], read: (group: Group) => number): number =>
  groups.reduce((total, group) => total + read(group), 0);
