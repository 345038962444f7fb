/**
 * Finds the thresholds of a project that an observation crosses. An anomaly is a finding of the behavior axis, scored from 0 to 1. Least values
 * are asked of ended questions only.
 */
import type { Observation, RaisedFlag } from '../../src/contract/monitoring.js';
import type { QuestionSnapshot } from '../../src/contract/probe.js';
import type { Monitoring } from '../../src/contract/project-parts.js';
import { readUserAgent } from '../../src/contract/user-agent.js';
import { weighPageInput } from '../scoring/behavior.js';
import { describeSignal, keepWorst } from '../scoring/model.js';

type Metric = keyof NonNullable<Monitoring['question']>;

interface Limit {
  readonly valueOf: (question: QuestionSnapshot) => number;
  readonly side: 'least' | 'most';
}

/** The measurement for each limit of config.monitoring.question. */
const limits: Readonly<Record<Metric, Limit>> = {
  minTimeMs: { valueOf: ({ timeOnQuestionMs }) => timeOnQuestionMs, side: 'least' },
  maxTimeMs: { valueOf: ({ timeOnQuestionMs }) => timeOnQuestionMs, side: 'most' },
  maxPastes: { valueOf: ({ pasteCount }) => pasteCount, side: 'most' },
  maxFocusExits: { valueOf: ({ focusExits }) => focusExits, side: 'most' },
  minMouseMoves: { valueOf: ({ mouseMoveCount }) => mouseMoveCount, side: 'least' },
  minKeys: { valueOf: ({ keyCount }) => keyCount, side: 'least' },
};

export function findFlags(observation: Observation, monitoring: Monitoring): RaisedFlag[] {
  return [...findAnomalies(observation, monitoring), ...findQuestions(observation, monitoring)];
}

function findAnomalies(
  { behavior, questions, pageAgent: written, transport }: Observation,
  { anomalyThreshold }: Monitoring,
): RaisedFlag[] {
  if (anomalyThreshold === undefined) return [];
  const pageAgent = readUserAgent(written);
  const agent = readUserAgent(transport.userAgent) ?? pageAgent;
  const used = behavior === undefined ? {} : { beh: behavior };
  const signals = weighPageInput({ body: { ...used, q: [...questions] }, agent, pageAgent });
  return keepWorst([signals])
    .map((signal) => ({
      kind: 'anomaly' as const,
      type: signal.code,
      score: scoreOf(signal.weight),
      threshold: anomalyThreshold,
      detail: describeSignal(signal),
    }))
    .filter(({ score, threshold }) => score > threshold);
}

/** Evidence in logits as a number from 0 to 1: each logit halves what is missing to certainty. Two decimals, as it is shown. */
const scoreOf = (weight: number): number => Math.round((1 - 2 ** -weight) * 100) / 100;

function findQuestions({ questions }: Observation, { question: set = {} }: Monitoring): RaisedFlag[] {
  return questions.flatMap((question) =>
    (Object.keys(limits) as Metric[]).flatMap((metric): RaisedFlag[] => {
      const threshold = set[metric];
      const { valueOf, side } = limits[metric];
      const value = valueOf(question);
      if (threshold === undefined || !isCrossed(side, value, threshold, question.ended === true)) return [];
      return [{ kind: 'question', questionId: question.questionId, metric, value, threshold }];
    }),
  );
}

const isCrossed = (side: Limit['side'], value: number, threshold: number, isEnded: boolean): boolean =>
  side === 'most' ? value > threshold : isEnded && value < threshold;
