/** The shadow: recorded facts judged with another calibration, and its verdicts against those that were given. Pure. */
import type { Calibration } from '../../src/contract/calibration.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import {
  shadowExamplesMax,
  shadowSourcesMax,
  type ComparedSession,
  type ShadowFigures,
  type ShadowReply,
  type ShadowVerdict,
} from '../../src/contract/shadow.js';
import type { Mix } from '../../src/contract/thresholds.js';
import { scoreFacts } from '../scoring/score.js';
import { groupBy, inOrder, observe } from './reports.js';

type Sessions = readonly ComparedSession[];
type Side = 'live' | 'shadow';
const sides = ['live', 'shadow'] as const;

/** Live verdicts are recorded without their probability, which the present model gives again. */
export function judgeShadow(facts: ScoreFacts, calibration: Calibration): ShadowVerdict {
  const { score, recommendation, probability } = scoreFacts({ ...facts, calibration }).reply;
  const live = scoreFacts(facts).reply.probability;
  return { score, recommendation, probability: probability?.value ?? null, liveProbability: live?.value ?? null };
}

/** Sessions are the newest first. */
export function compareShadow(sessions: Sessions): ShadowFigures {
  const compared = sessions.filter(({ isNewest }) => isNewest);
  const flipped = compared.filter(isFlipped);
  const withAdvice = (advice: keyof Mix) => (session: ComparedSession, side: Side) =>
    session[side].recommendation === advice;
  return {
    compared: compared.length,
    agreements: compared.length - flipped.length,
    live: mixOf(compared, 'live'),
    shadow: mixOf(compared, 'shadow'),
    blockedShare: shareOfBoth(compared, withAdvice('block')),
    reviewedShare: shareOfBoth(compared, withAdvice('review')),
    flips: flipsOf(flipped),
    examples: flipped.slice(0, shadowExamplesMax).map(({ receiptId, sessionId, sourceId, live, shadow }) => ({
      ...{ receiptId, sessionId, sourceId, from: live.recommendation, to: shadow.recommendation },
      ...{ givenScore: live.score, score: shadow.score },
    })),
    sources: sourcesOf(compared),
    otherModel: compared.filter(({ isOtherModel }) => isOtherModel).length,
    labelled: labelledOf(sessions),
  };
}

const isFlipped = ({ live, shadow }: ComparedSession): boolean => live.recommendation !== shadow.recommendation;

function mixOf(sessions: Sessions, side: Side): Mix {
  const mix: Mix = { allow: 0, review: 0, block: 0, step_up: 0 };
  for (const session of sessions) mix[session[side].recommendation] += 1;
  return mix;
}

function shareOfBoth(
  sessions: Sessions,
  holds: (session: ComparedSession, side: Side) => boolean,
): ShadowReply['blockedShare'] {
  const [live, shadow] = sides.map((side) =>
    sessions.length === 0
      ? null
      : observe(
          count(sessions, (session) => holds(session, side)),
          sessions.length,
        ),
  );
  return { live: live ?? null, shadow: shadow ?? null };
}

const count = (sessions: Sessions, holds: (session: ComparedSession) => boolean): number =>
  sessions.filter(holds).length;

const flipsOf = (flipped: Sessions): ShadowReply['flips'] =>
  [...groupBy(flipped, ({ live, shadow }) => `${live.recommendation} ${shadow.recommendation}`)]
    .sort(([a, own], [b, other]) => other.length - own.length || inOrder(a, b))
    .flatMap(([, [first, ...rest]]) =>
      first === undefined
        ? []
        : [{ from: first.live.recommendation, to: first.shadow.recommendation, sessions: rest.length + 1 }],
    );

function sourcesOf(compared: Sessions): ShadowReply['sources'] {
  const blocked = (own: Sessions, side: Side): number =>
    count(own, (session) => session[side].recommendation === 'block');
  return [...groupBy(compared, ({ sourceId }) => sourceId)]
    .map(([sourceId, own]) => ({
      ...{ sourceId, compared: own.length, flipped: count(own, isFlipped) },
      ...{ liveBlocked: blocked(own, 'live'), shadowBlocked: blocked(own, 'shadow') },
    }))
    .sort((a, b) => b.flipped - a.flipped || b.compared - a.compared || inOrder(a.sourceId ?? '', b.sourceId ?? ''))
    .slice(0, shadowSourcesMax);
}

function labelledOf(sessions: Sessions): ShadowReply['labelled'] {
  const fraud = sessions.filter(({ label }) => label === 'fraud');
  const honest = sessions.filter(({ label }) => label === 'honest');
  return {
    fraud: fraud.length,
    honest: honest.length,
    fraudCaught: shareOfBoth(fraud, (session, side) => session[side].recommendation === 'block'),
    honestStopped: shareOfBoth(honest, (session, side) => session[side].recommendation !== 'allow'),
    fraudProbability: probabilitiesOf(fraud),
    honestProbability: probabilitiesOf(honest),
  };
}

const probabilitiesOf = (sessions: Sessions) => ({
  live: meanOf(sessions.map(({ shadow }) => shadow.liveProbability)),
  shadow: meanOf(sessions.map(({ shadow }) => shadow.probability)),
});

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
