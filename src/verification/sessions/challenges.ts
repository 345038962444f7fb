/**
 * The challenges of a session’s camera check. Challenges are revealed one at a time: each is drawn when the page asks for it, after a commitment to
 * the frames up to then has come. The same call again is answered alike; what was committed is never replaced.
 */
import { exampleChallenges } from '../../contract/envelope-examples.js';
import type { EvidenceFramesMode } from '../../contract/evidence-frames.js';
import type { ChallengeCall, ChallengeConfig, ChallengeReply, ChallengeRequest } from '../../contract/session.js';
import type { DemandedAssurance } from '../../contract/project.js';
import { challengeTypes, type ChallengeType } from '../../contract/verdict.js';
import { Fault } from '../../errors.js';
import { invalid } from '../../kernel/faults.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { chooseEvidenceFrames } from './evidence-frames.js';
import { requireVerifiable } from './session-state.js';
import { findSession, keepChallengeCall, type StoredSession } from './session-store.js';

export interface Randomness {
  /** Uniform in 0..below-1. */
  readonly integer: (below: number) => number;
  readonly bytes: (count: number) => Buffer;
}

export interface ChallengePolicy {
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  readonly challengeEnabled: boolean;
  readonly escalateOnSuspicion: boolean;
  readonly minimumAssurance: DemandedAssurance;
  readonly evidenceFrames: EvidenceFramesMode;
}

const challengeCounts = { invisible: 2, captcha: 2, standard: 3 } as const;
const timeoutMs = 8_000;
/** Least and most time between the answer and the showing of a challenge. Sessions of test and demo keys take the least. */
const startAfter = { leastMs: 300, mostMs: 900 } as const;

/**
 * 0 where the project asks for none. A pass that has to be biometric costs the same effort in every mode. Pictures of a face at rest may be of one
 * photograph, so whoever has them judged asks for movements.
 */
export function countChallenges(policy: ChallengePolicy): number {
  if (policy.minimumAssurance === 'biometric') return challengeCounts.standard;
  if (policy.widgetMode === 'invisible' && !policy.escalateOnSuspicion) return 0;
  return policy.challengeEnabled || policy.evidenceFrames === 'sampled' ? challengeCounts[policy.widgetMode] : 0;
}

export const challengeConfigOf = ({
  nonce,
  challengeCount,
}: Pick<StoredSession, 'nonce' | 'challengeCount'>): ChallengeConfig => ({
  nonce,
  sequential: true,
  count: challengeCount,
  challenges: [],
});

/** Kinds of models that the widget needs for a session. */
export const livenessModelsOf = ({
  widgetMode,
  escalateOnSuspicion,
  minimumAssurance,
}: Omit<ChallengePolicy, 'challengeEnabled' | 'evidenceFrames'>): string[] =>
  widgetMode !== 'invisible' || escalateOnSuspicion || minimumAssurance === 'biometric'
    ? ['landmarks', 'embedding']
    : [];

export interface ChallengeServiceDeps {
  readonly database: Database;
  readonly random: Randomness;
  readonly now: () => number;
}

export type ChallengeService = ReturnType<typeof createChallengeService>;

export function createChallengeService({ database, random, now }: ChallengeServiceDeps) {
  function draw(
    session: StoredSession,
    { index, frameCount, peakFrame = null, atMs }: Omit<ChallengeCall, 'reply'>,
  ): ChallengeReply {
    const { mode, challengeCalls, challengeCount, evidenceFrames } = session;
    if (index === challengeCount) {
      return {
        done: true,
        frameIndices:
          evidenceFrames === 'sampled'
            ? chooseEvidenceFrames(challengeCalls, { atMs, frameCount, peakFrame }, random)
            : [],
      };
    }
    const taken = new Set(challengeCalls.map(({ reply }) => 'type' in reply && reply.type));
    const left: readonly ChallengeType[] = challengeTypes.filter((type) => !taken.has(type));
    const example = exampleChallenges[index];
    const type = (mode !== 'live' && example !== undefined ? example : left[random.integer(left.length)]) ?? 'blink';
    const { leastMs, mostMs } = startAfter;
    const startAfterMs = leastMs + (mode !== 'live' ? 0 : random.integer(mostMs - leastMs));
    return { index, id: `chl_${random.bytes(9).toString('base64url')}`, type, timeoutMs, startAfterMs };
  }

  return {
    /** Throws SESSION_COMPLETED, SESSION_EXPIRED, CHALLENGE_CONFLICT, CHALLENGE_OUT_OF_ORDER. */
    async reveal(session: StoredSession, request: ChallengeRequest): Promise<ChallengeReply> {
      const { sessionId, organizationId, challengeCalls, challengeCount } = session;
      requireVerifiable(session, now());
      const known = challengeCalls[request.index];
      if (known !== undefined) return repeat(known, request);
      const expected = challengeCalls.length;
      if (request.index !== expected || expected > challengeCount)
        throw new Fault(
          'CHALLENGE_OUT_OF_ORDER',
          `The challenge is out of order. Request index ${Math.min(expected, challengeCount)}.`,
          {
            context: { expected: Math.min(expected, challengeCount) },
          },
        );
      requirePeak(session, request);
      const asked = { ...request, atMs: now() };
      const call: ChallengeCall = { ...asked, reply: draw(session, asked) };
      if (await inOrganization(database, organizationId, (tx) => keepChallengeCall(tx, sessionId, call)))
        return call.reply;
      // Another call came first, or the envelope did.
      const current = await findSession(database, sessionId);
      if (current !== null) requireVerifiable(current, now());
      return repeat(current?.challengeCalls[request.index] ?? call, request);
    },
  };
}

/** Pictures are asked of the answers, so the page has to say where they are, before it knows which are asked for. */
function requirePeak(
  { evidenceFrames, challengeCalls }: StoredSession,
  { index, frameCount, peakFrame }: ChallengeRequest,
): void {
  if (evidenceFrames !== 'sampled' || index === 0 || peakFrame === null) return;
  const first = challengeCalls[index - 1]?.frameCount ?? 0;
  if (peakFrame !== undefined && peakFrame >= first && peakFrame < frameCount) return;
  const message = 'must be a frame since the previous call, or null, because config.evidenceFrames is sampled.';
  throw invalid([{ path: '/peakFrame', message }]);
}

function repeat(known: ChallengeCall, { commitment, frameCount, peakFrame = null }: ChallengeRequest): ChallengeReply {
  const { peakFrame: knownPeak = null } = known;
  if (known.commitment === commitment && known.frameCount === frameCount && knownPeak === peakFrame) return known.reply;
  throw new Fault('CHALLENGE_CONFLICT', 'This challenge was requested before with other frames. Create a new session.');
}
