/**
 * Runs a capture: waits for one face in good light, then asks for one challenge after the other and shows each until it looks done or its
 * time is over, and says meanwhile what the respondent should know. Ends early when frames stop coming.
 */
import type { ChallengeReply, ChallengeRequest, RevealedChallenge } from '../../src/contract/session.js';
import type { GuideStep } from '../widget/ports.js';
import { watchGesture } from './gesture.js';
import { readPose, type Pose } from './pose.js';
import type { FrameAnalysis } from './frame-analysis.js';
import type { Recorder } from './recorder.js';

const pacing = {
  /** Longest wait for a face, and for good light, one face and the right distance after that, ms. */
  faceMs: 20_000,
  settleMs: 6_000,
  /** Frames at rest before the first challenge, and how long they take at least, ms. */
  restFrames: 4,
  restMs: 700,
  /** Frames and time of a capture without challenges. */
  passiveFrames: 30,
  passiveMs: 3_000,
  /** How long the tick of a challenge shows if the next one is not there by then, ms. */
  tickMs: 700,
  /** After the last challenge: a blink or a turn ends in frames that still have to be seen, ms. */
  tailMs: 400,
  /** How often a challenge may restart because the respondent asked for more time. */
  extensionsMax: 10,
} as const;

/** Light and size of the face below which the respondent is asked for more; luminance 0-1, and share of the picture between the eyes. */
const lightMin = 0.15;
const eyesShareMin = 0.07;

export interface Take {
  readonly atMs: number;
  readonly analysis: FrameAnalysis;
}

export interface DirectorDeps {
  /** The next frame, looked at and recorded; null when there will be none. Times are those of the page’s clock. */
  readonly take: () => Promise<Take | null>;
  readonly guide: (step: GuideStep) => void;
  readonly takeMoreTime: () => boolean;
  readonly recorder: Pick<Recorder, 'close' | 'commit' | 'markPeak'>;
  readonly nextChallenge: (request: ChallengeRequest) => Promise<ChallengeReply>;
  readonly now: () => number;
  readonly originMs: number;
}

export interface Direction {
  /** `no_face`: nobody came before the camera. `ended`: the camera stopped on the way. */
  readonly end: 'done' | 'no_face' | 'ended';
  readonly passed: number;
  readonly poses: readonly Pose[];
  /** Frames whose pictures the service wants. */
  readonly frameIndices: readonly number[];
}

/** Rejects where the service gives no challenge. */
export async function direct(deps: DirectorDeps, total: number): Promise<Direction> {
  const poses: Pose[] = [];
  let passed = 0;
  const settled = await settle(deps, poses, total === 0);
  const stopped = (end: Direction['end']): Direction => ({ end, passed, poses, frameIndices: [] });
  if (settled !== 'settled') return stopped(settled);
  for (let index = 0; index < total; index += 1) {
    const challenge = await reveal(deps, poses, index);
    if (challenge === null) return stopped('ended');
    const outcome = await runChallenge(deps, challenge, poses, total);
    if (outcome === 'ended') return stopped('ended');
    passed += Number(outcome === 'done');
  }
  if (total > 0 && !(await watchFor(deps, poses, pacing.tailMs))) return stopped('ended');
  const done = await deps.nextChallenge({ index: total, ...(await deps.recorder.commit()) });
  return { ...stopped('done'), frameIndices: 'done' in done ? done.frameIndices : [] };
}

/** Asks for a challenge and goes on looking until it may be shown; null when frames stopped. The tick of the one before shows meanwhile. */
async function reveal(
  { take, guide, recorder, nextChallenge, now }: DirectorDeps,
  poses: Pose[],
  index: number,
): Promise<RevealedChallenge | null> {
  const askedMs = now();
  const answer: { challenge?: RevealedChallenge; startMs?: number; failure?: { readonly error: unknown } } = {};
  const ask = async (): Promise<void> => {
    const reply = await nextChallenge({ index, ...(await recorder.commit()) });
    if ('done' in reply) throw new Error('the service ended the capture early');
    Object.assign(answer, { challenge: reply, startMs: now() + reply.startAfterMs });
  };
  ask().catch((error: unknown) => Object.assign(answer, { failure: { error } }));
  for (;;) {
    if (answer.failure !== undefined) throw answer.failure.error;
    if (answer.challenge !== undefined && now() >= (answer.startMs ?? 0)) return answer.challenge;
    const taken = await take();
    if (taken === null) return null;
    note(taken, poses);
    if (now() - askedMs > pacing.tickMs) guide({ kind: 'look_straight' });
  }
}

/** Until the face has been at rest for long enough; goes on with what there is when something stays in the way. */
async function settle(deps: DirectorDeps, poses: Pose[], passive: boolean): Promise<'settled' | 'no_face' | 'ended'> {
  const { take, guide, now } = deps;
  const startedMs = now();
  const frames = passive ? pacing.passiveFrames : pacing.restFrames;
  const longMs = passive ? pacing.passiveMs : pacing.restMs;
  let firstFaceMs = Infinity;
  let good = 0;
  let goodMs = Infinity;
  while (now() - startedMs < pacing.faceMs) {
    const taken = await take();
    if (taken === null) return 'ended';
    const pose = note(taken, poses);
    if (pose !== null) firstFaceMs = Math.min(firstFaceMs, taken.atMs);
    const trouble = findTrouble(taken.analysis, pose);
    guide({ kind: trouble ?? 'look_straight' });
    good = trouble === null ? good + 1 : 0;
    goodMs = trouble === null ? Math.min(goodMs, taken.atMs) : Infinity;
    const isRested = good >= frames && taken.atMs - goodMs >= longMs;
    if (isRested || (pose !== null && taken.atMs - firstFaceMs > pacing.settleMs + longMs)) return 'settled';
  }
  return 'no_face';
}

function note({ analysis }: Take, poses: Pose[]): Pose | null {
  if (analysis.points === null) return null;
  const pose = readPose(analysis.points);
  poses.push(pose);
  return pose;
}

function findTrouble(
  { brightness, faces, width }: FrameAnalysis,
  pose: Pose | null,
): 'no_face' | 'too_dark' | 'too_far' | 'many_faces' | null {
  if (brightness < lightMin) return 'too_dark';
  if (pose === null) return 'no_face';
  if (faces > 1) return 'many_faces';
  return pose.size < width * eyesShareMin ? 'too_far' : null;
}

/**
 * One challenge. If the head went the other way first it is shown again once the head is back, within the same time: the service takes
 * a movement both ways for no answer. Whoever asks for more time gets all of it again.
 */
async function runChallenge(
  deps: DirectorDeps,
  challenge: RevealedChallenge,
  poses: Pose[],
  total: number,
): Promise<'done' | 'over' | 'ended'> {
  const { take, guide, takeMoreTime, now, originMs, recorder } = deps;
  const { type, index, timeoutMs } = challenge;
  let startedMs = now();
  let lastMs = startedMs;
  let untilMs = startedMs + timeoutMs;
  let watch = watchGesture(type, poses);
  let extensions = 0;
  // Asked for before there was a challenge.
  takeMoreTime();
  const restart = (): void => {
    startedMs = now();
    watch = watchGesture(type, poses);
  };
  const report = (progress: number): void =>
    guide({ kind: 'challenge', type, index, total, progress, leftMs: Math.max(0, untilMs - now()) });
  report(0);
  const finish = (outcome: 'done' | 'over'): 'done' | 'over' => {
    recorder.close(challenge.id, startedMs - originMs, lastMs - originMs);
    return outcome;
  };
  while (now() < untilMs) {
    const taken = await take();
    if (taken === null) return 'ended';
    lastMs = Math.max(lastMs, taken.atMs);
    const pose = note(taken, poses);
    if (takeMoreTime() && extensions++ < pacing.extensionsMax) {
      restart();
      untilMs = startedMs + timeoutMs;
    }
    if (pose === null || taken.atMs < startedMs) continue;
    const progress = watch.see(pose);
    if (watch.isFurthest()) recorder.markPeak();
    if (progress.kind === 'done') {
      report(1);
      return finish('done');
    }
    if (progress.kind === 'spoiled') restart();
    report(progress.kind === 'going' ? progress.share : 0);
  }
  return finish('over');
}

/** Goes on looking for a while; false when frames stopped. */
async function watchFor({ take, now }: DirectorDeps, poses: Pose[], lengthMs: number): Promise<boolean> {
  const untilMs = now() + lengthMs;
  while (now() < untilMs) {
    const taken = await take();
    if (taken === null) return false;
    note(taken, poses);
  }
  return true;
}
