/**
 * The shell of the machine: does what it says next, with the real page, interface, camera and service, until it says how the mount ends.
 * Calling the mount off ends whatever is under way.
 */
import type { EnvelopeConsent } from '../../src/contract/envelope.js';
import type { ChallengeReply, ChallengeRequest, SessionReply } from '../../src/contract/session.js';
import { onAbort, settle } from './abort.js';
import type { Activity } from './activity.js';
import type { MountOptions, VHOutcome } from './api.js';
import type { CspWatch } from './csp.js';
import type { DeviceWatch } from './device.js';
import { buildEnvelope } from './envelope.js';
import { advance, begin, type Effect, type End, type FlowEvent, type Plan } from './machine.js';
import type { Reply, Trouble } from './http.js';
import type { VerifyError } from './errors.js';
import { say } from './page-console.js';
import type { ModelLoader } from './models.js';
import type { CaptureOutcome, CaptureTelemetry, Demands, Preparation, Stage, StageExit, View } from './ports.js';
import { verdictError } from './result.js';
import type { Said, ServiceCalls } from './service.js';

export interface RunDeps {
  readonly options: MountOptions;
  readonly plan: Plan;
  readonly service: ServiceCalls;
  readonly device: DeviceWatch;
  readonly activity: Pick<Activity, 'follow'>;
  readonly csp: Pick<CspWatch, 'findCamera'>;
  /** `error`: that of a verdict other than pass. */
  readonly onVerdict: (verdict: VHOutcome, error: VerifyError | null) => void;
  readonly view: View;
  /** The view's demands, updated to those of the session. */
  readonly demands: Demands;
  readonly models: ModelLoader;
  readonly modelsBaseUrl: string;
  readonly locale: string;
  readonly signal: AbortSignal;
  /** Created before the run (a session without a mount); used for the first session. */
  readonly created: OpenSession | null;
}

export interface OpenSession {
  readonly session: SessionReply;
  /** performance.now() when its challenges arrived. */
  readonly originMs: number;
}

export interface RunOutcome {
  readonly end: End;
  readonly sessionId: string | null;
  readonly telemetry: CaptureTelemetry | null;
}

/** Never rejects but with the signal's reason. */
export async function run(deps: RunDeps): Promise<RunOutcome> {
  const memory: Memory = { open: null, telemetry: null, consentMs: null, isSpent: false, isStarted: false };
  let step = begin(deps.plan);
  try {
    while (step.effect.kind !== 'end') {
      deps.signal.throwIfAborted();
      step = advance(step.state, await settle(perform(deps, memory, step.effect), deps.signal));
    }
  } finally {
    deps.models.drop();
  }
  return { end: step.effect.end, sessionId: memory.open?.session.sessionId ?? null, telemetry: memory.telemetry };
}

interface Memory {
  open: OpenSession | null;
  telemetry: CaptureTelemetry | null;
  consentMs: number | null;
  /** The open session has revealed a challenge: another capture needs another session. */
  isSpent: boolean;
  /** The session that was handed in has been used. */
  isStarted: boolean;
}

async function perform(deps: RunDeps, memory: Memory, effect: Exclude<Effect, { kind: 'end' }>): Promise<FlowEvent> {
  const { view } = deps;
  switch (effect.kind) {
    case 'start':
      await view.awaitStart();
      return { kind: 'started' };
    case 'create':
      return createSession(deps, memory, effect);
    case 'consent': {
      deps.models.begin();
      const isGranted = (await view.askConsent()) === 'granted';
      if (!isGranted) deps.models.drop();
      return { kind: 'consented', consent: consentOf(isGranted, memory) };
    }
    case 'capture':
      return capture(deps, memory, effect.hidden);
    case 'camera_again': {
      const choice = await view.askCameraAgain(effect.reason);
      return choice === 'without'
        ? { kind: 'chose', choice, consent: consentOf(false, memory) }
        : { kind: 'chose', choice };
    }
    case 'verify':
      return verify(deps, memory, effect);
    case 'result': {
      const said = await deps.service.readResult(openOf(memory).session, deps.signal);
      return said.kind === 'said' ? { kind: 'dispatched', envelope: said.value } : said;
    }
    case 'outcome': {
      const choice = await view.showOutcome(effect.outcome);
      return choice === 'without'
        ? { kind: 'read', choice, consent: consentOf(false, memory) }
        : { kind: 'read', choice };
    }
  }
}

function openOf({ open }: Memory): OpenSession {
  if (open === null) throw new Error('a session was used before it was there');
  return open;
}

const elapsedMs = (memory: Memory): number => {
  const ms = memory.open === null ? 0 : performance.now() - memory.open.originMs;
  return Math.min(3_600_000, Math.max(0, Math.round(ms)));
};

function consentOf(biometric: boolean, memory: Memory): EnvelopeConsent {
  memory.consentMs = elapsedMs(memory);
  return { biometric, at: new Date().toISOString() };
}

async function createSession(
  deps: RunDeps,
  memory: Memory,
  { previousSessionId }: Extract<Effect, { kind: 'create' }>,
): Promise<FlowEvent> {
  deps.view.showProgress('starting');
  const made = memory.isStarted ? null : deps.created;
  const said: Said<SessionReply> =
    made === null
      ? await deps.service.createSession(deps.options, previousSessionId, deps.signal)
      : { kind: 'said', value: made.session };
  if (said.kind !== 'said') return said;
  const { minimumAssurance, evidenceFrames } = said.value.studyConfig;
  Object.assign(deps.demands, { minimumAssurance, evidenceFrames });
  memory.open = { session: said.value, originMs: made?.originMs ?? performance.now() };
  deps.activity.follow(said.value);
  memory.isStarted = true;
  memory.isSpent = false;
  memory.telemetry = null;
  // Consent that carries over was given before this session's time began.
  memory.consentMs = null;
  deps.view.showProgress('checking');
  const retryCount = said.value.metadata['vh_retry_count'];
  return { kind: 'created', retryCount: typeof retryCount === 'number' ? retryCount : 0 };
}

/** `hidden`: the respondent's picture is not shown, and the stage comes only where there are challenges, which nobody answers untold. */
async function capture(deps: RunDeps, memory: Memory, hidden: boolean): Promise<FlowEvent> {
  const { view, options } = deps;
  const { session, originMs } = openOf(memory);
  if (!hidden) view.showProgress('loading_camera');
  let preparation: Preparation;
  try {
    preparation = await deps.models.take();
  } catch (error) {
    await explain(deps, String(error));
    const outcome: CaptureOutcome = { kind: 'unavailable', reason: 'mediapipe_load_failed', parts: {} };
    return { kind: 'captured', outcome, isSpent: false };
  }
  const challengeCount = session.challengeConfig.count;
  const stage = hidden && challengeCount === 0 ? null : view.openStage();
  const stop = new AbortController();
  const forgets = [deps.signal, ...(stage ? [stage.signal] : [])].map((from) =>
    onAbort(from, () => stop.abort(from.reason)),
  );
  let stopped: Reply | Trouble | null = null;
  const nextChallenge = async (request: ChallengeRequest): Promise<ChallengeReply> => {
    memory.isSpent = true;
    const said = await deps.service.nextChallenge(session, request, stop.signal);
    if (said.kind === 'said') return said.value;
    stopped = said;
    throw new Error('the service gave no challenge');
  };
  try {
    const outcome = await preparation.capture({
      challengeCount,
      nextChallenge,
      originMs,
      video: hidden ? null : (stage?.video ?? null),
      guide: (step) => stage?.guide(step),
      takeMoreTime: () => stage?.takeMoreTime() ?? false,
      signal: stop.signal,
      useDeepfakeDetection: options.useDeepfakeDetection === true,
    });
    if (stopped !== null) return { kind: 'stopped', by: stopped };
    if (outcome.kind === 'captured') memory.telemetry = outcome.telemetry;
    if (outcome.kind === 'unavailable' && outcome.detail !== undefined) await explain(deps, outcome.detail);
    return { kind: 'captured', outcome, isSpent: memory.isSpent };
  } catch (error) {
    return afterThrow(deps, memory, stage, error);
  } finally {
    for (const forget of forgets) forget();
    stage?.close();
  }
}

/** To the page's author: why there is no camera part, which the respondent can do nothing about. */
async function explain({ csp, modelsBaseUrl }: RunDeps, why: string): Promise<void> {
  const blocked = await csp.findCamera(modelsBaseUrl);
  say(
    `the camera part did not start (${why}), so respondents are verified without a camera${blocked === null ? '' : `: ${blocked}`}`,
  );
}

/** The respondent left the stage; or the camera part broke, which is no camera. */
function afterThrow(deps: RunDeps, memory: Memory, stage: Stage | null, error: unknown): FlowEvent {
  deps.signal.throwIfAborted();
  if (stage?.signal.aborted)
    return stage.signal.reason === ('without' satisfies StageExit)
      ? { kind: 'left', exit: 'without', consent: consentOf(false, memory) }
      : { kind: 'left', exit: 'cancel', isSpent: memory.isSpent };
  const reason = error instanceof Error && /^[A-Za-z]\w{0,63}$/.test(error.name) ? error.name : 'unknown_capability';
  const outcome: CaptureOutcome = { kind: 'unavailable', reason, parts: {} };
  return { kind: 'captured', outcome, isSpent: memory.isSpent };
}

async function verify(
  deps: RunDeps,
  memory: Memory,
  { consent, capture, canEscalate, isLastTry }: Extract<Effect, { kind: 'verify' }>,
): Promise<FlowEvent> {
  deps.view.showProgress('sending');
  const open = openOf(memory);
  const { session } = open;
  const envelope = buildEnvelope({
    session,
    canEscalate,
    locale: deps.locale,
    device: await deps.device.read(),
    consent,
    parts: capture?.parts ?? {},
    cameraFailureReason: capture?.kind === 'unavailable' ? capture.reason : null,
    consentMs: memory.consentMs,
    totalMs: elapsedMs(memory),
  });
  const said = await deps.service.verify(session, envelope, deps.signal);
  if (said.kind !== 'said') return said;
  if ('cameraCheck' in said.value) {
    memory.open = { ...open, session: { ...session, challengeConfig: said.value.cameraCheck.challengeConfig } };
    return { kind: 'escalated' };
  }
  const { sessionId, status, verificationToken: token } = said.value;
  const error = status === 'pass' ? null : verdictError(said.value, isLastTry);
  deps.onVerdict({ sessionId, status, code: error?.code ?? null, token }, error);
  return { kind: 'verified', reply: said.value, error };
}
