/**
 * The order of things in a mount, as a pure machine: `begin` and `advance` say what to do next, and the shell (run.ts) does it and comes back
 * with what came of it.
 *
 *   start ─ create ─┬─────────────────────────── verify ─┬─ result ─ outcome ─ end
 *           ▲       └─ consent ─ capture ────────▲       ├─ outcome ─ end
 *           │             ▲      ▲  └─ camera_again      │
 *           │             └──────┴───────── escalated ───┤
 *           └─────────────────────────────────── retry ──┘
 *
 * Camera: standard always asks. Captcha and invisible (where it may escalate) ask when the service keeps the session open because its passive
 * signals do not pass. Nobody is kept out for declining, or for having no camera: such a session is verified by its device.
 */
import type { EnvelopeConsent } from '../../src/contract/envelope.js';
import type { ScoreEnvelope, VerifyReply } from '../../src/contract/score-envelope.js';
import type { VerifyError } from './errors.js';
import type { Reply, Trouble } from './http.js';
import type { CameraStop, CameraTrouble, CaptureOutcome, Outcome, WidgetMode } from './ports.js';

export interface Plan {
  readonly mode: WidgetMode;
  readonly autoStart: boolean;
  /** Obtained by the integrator before an autoStart. */
  readonly consent: EnvelopeConsent | null;
  /** Whether captcha or invisible mode may go on to the camera. */
  readonly mayEscalate: boolean;
  /** Whether it is known what the consent has to say; without it nobody is asked for the camera. */
  readonly canAskConsent: boolean;
  readonly isScored: boolean;
  readonly retriesMax: number;
  readonly previousSessionId: string | null;
  /** Whether the first session is the page's: only its backend can make another. */
  readonly isGiven: boolean;
  /** Whether a mount without the service is refused. */
  readonly isClosed: boolean;
}

export type Effect =
  | { readonly kind: 'start' }
  | { readonly kind: 'create'; readonly previousSessionId: string | null }
  | { readonly kind: 'consent' }
  | { readonly kind: 'capture'; readonly hidden: boolean }
  | { readonly kind: 'camera_again'; readonly reason: CameraStop }
  | {
      readonly kind: 'verify';
      readonly consent: EnvelopeConsent | null;
      readonly capture: Captured | null;
      readonly canEscalate: boolean;
      /** A failure uses up the budget of retries. */
      readonly isLastTry: boolean;
    }
  | { readonly kind: 'result' }
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly then: End }
  | { readonly kind: 'end'; readonly end: End };

export type Captured = Extract<CaptureOutcome, { kind: 'captured' | 'unavailable' }>;

/** How a mount ends; `verdict` becomes a result on a pass and in score mode, and its error otherwise. */
export type End =
  | {
      readonly kind: 'verdict';
      readonly reply: VerifyReply;
      readonly error: VerifyError | null;
      readonly envelope: ScoreEnvelope | null;
    }
  /** `isFinal`: this mount has no other session to try with. */
  | { readonly kind: 'refused'; readonly reply: Reply; readonly isFinal?: boolean }
  | { readonly kind: 'unreachable'; readonly trouble: Trouble }
  | { readonly kind: 'camera'; readonly reason: CameraTrouble }
  | { readonly kind: 'aborted' };

export type FlowEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'created'; readonly retryCount: number }
  | { readonly kind: 'consented'; readonly consent: EnvelopeConsent }
  /** `isSpent`: the session has revealed a challenge, and takes no other capture. */
  | { readonly kind: 'captured'; readonly outcome: CaptureOutcome; readonly isSpent: boolean }
  /** The service gave no challenge; the session takes no other capture. */
  | { readonly kind: 'stopped'; readonly by: Reply | Trouble }
  /** Going on without the camera takes consent back. */
  | { readonly kind: 'left'; readonly exit: 'without'; readonly consent: EnvelopeConsent }
  | { readonly kind: 'left'; readonly exit: 'cancel'; readonly isSpent: boolean }
  | { readonly kind: 'chose'; readonly choice: 'without'; readonly consent: EnvelopeConsent }
  | { readonly kind: 'chose'; readonly choice: 'again' | 'cancel' }
  /** `error`: that of a verdict other than pass. */
  | { readonly kind: 'verified'; readonly reply: VerifyReply; readonly error: VerifyError | null }
  /** No verdict: the session stays open for a camera check. */
  | { readonly kind: 'escalated' }
  | { readonly kind: 'dispatched'; readonly envelope: ScoreEnvelope }
  | { readonly kind: 'read'; readonly choice: 'retry' | 'done' }
  | { readonly kind: 'read'; readonly choice: 'without'; readonly consent: EnvelopeConsent }
  | Reply
  | Trouble;

export interface State {
  readonly plan: Plan;
  readonly consent: EnvelopeConsent | null;
  /** The failed session that the next one tries again. */
  readonly previousSessionId: string | null;
  /** A session was created and has no verdict yet: `captured` is what was to be sent. */
  readonly isOpen: boolean;
  readonly captured: Captured | null;
  readonly retryCount: number;
  /** The session takes no other capture. */
  readonly isSpent: boolean;
  /** The session stays open for its camera check. */
  readonly isEscalated: boolean;
  readonly reply: VerifyReply | null;
  readonly error: VerifyError | null;
  /** Why the camera was not given; null also after a capture that the respondent canceled. */
  readonly trouble: CameraTrouble | null;
  readonly then: End | null;
}

export interface Step {
  readonly state: State;
  readonly effect: Effect;
}

export function begin(plan: Plan): Step {
  const { consent, previousSessionId } = plan;
  const state: State = {
    plan,
    consent,
    previousSessionId,
    isOpen: false,
    captured: null,
    retryCount: 0,
    isSpent: false,
    isEscalated: false,
    reply: null,
    error: null,
    trouble: null,
    then: null,
  };
  return plan.autoStart || plan.mode === 'invisible' ? create(state) : { state, effect: { kind: 'start' } };
}

/** The next step. Throws for an event that was not expected: a mistake of the shell. */
export function advance(state: State, event: FlowEvent): Step {
  switch (event.kind) {
    case 'started':
      return create(state);
    case 'created': {
      const { retryCount } = event;
      const created = { ...state, isOpen: true, isSpent: false, isEscalated: false, retryCount };
      const asksCamera = state.plan.mode === 'standard' && state.consent?.biometric !== false;
      return asksCamera ? askOrCapture(created) : verify(created, null);
    }
    case 'escalated':
      return askOrCapture({ ...state, isEscalated: true });
    case 'consented':
      return event.consent.biometric ? capture({ ...state, consent: event.consent }) : withoutCamera(state, event);
    case 'captured':
      return afterCapture({ ...state, isSpent: event.isSpent }, event.outcome);
    case 'stopped': {
      const over = { ...state, isOpen: false, captured: null };
      return event.by.kind === 'reply' ? refuse(over, event.by) : giveUp(over, event.by);
    }
    case 'left':
      return event.exit === 'without'
        ? withoutCamera(state, event)
        : askAgain({ ...state, isSpent: event.isSpent, trouble: null }, 'canceled');
    case 'chose':
      return afterChoice(state, event);
    case 'verified':
      return afterVerdict({ ...state, reply: event.reply, error: event.error, isOpen: false });
    case 'dispatched':
      return afterDispatch(state, event.envelope);
    case 'reply':
      return refuse(state, event);
    case 'trouble':
      return giveUp(state, event);
    case 'read':
      if (state.then === null) throw new Error('an outcome was read that was not shown');
      if (event.choice === 'done') return end(state, state.then);
      if (event.choice === 'without') return create({ ...state, then: null, consent: event.consent });
      return again({ ...state, then: null });
  }
}

const create = (state: State): Step => ({
  state,
  effect: { kind: 'create', previousSessionId: state.previousSessionId },
});
/** A session that was never judged is sent again; one that failed is followed by another, in which consent may be given after all. */
function again(state: State): Step {
  if (state.isOpen) return verify(state, state.captured);
  return create(state.consent?.biometric === false ? { ...state, consent: null } : state);
}
const capture = (state: State): Step => ({
  state,
  effect: { kind: 'capture', hidden: state.plan.mode === 'invisible' },
});
function verify(state: State, captured: Captured | null): Step {
  const { plan, isEscalated, consent } = state;
  const canEscalate = plan.mayEscalate && !isEscalated && captured === null && consent?.biometric !== false;
  const isLastTry = state.retryCount >= plan.retriesMax;
  return {
    state: { ...state, captured },
    effect: { kind: 'verify', consent, capture: captured, canEscalate, isLastTry },
  };
}
const end = (state: State, how: End): Step => ({ state, effect: { kind: 'end', end: how } });

/** Without an interface of its own, invisible mode has nobody to show an outcome to. */
function show(state: State, outcome: Outcome, then: End): Step {
  if (state.plan.mode === 'invisible') return end(state, then);
  return { state: { ...state, then }, effect: { kind: 'outcome', outcome, then } };
}

function askOrCapture(state: State): Step {
  if (state.consent !== null) return capture(state);
  return state.plan.canAskConsent ? { state, effect: { kind: 'consent' } } : verify(state, null);
}

const withoutCamera = (state: State, { consent }: { readonly consent: EnvelopeConsent }): Step =>
  verify({ ...state, consent }, null);

function afterCapture(state: State, outcome: CaptureOutcome): Step {
  if (outcome.kind !== 'refused') return verify(state, outcome);
  return askAgain({ ...state, trouble: outcome.reason }, outcome.reason);
}

const askAgain = (state: State, reason: CameraStop): Step => ({ state, effect: { kind: 'camera_again', reason } });

function afterChoice(state: State, event: Extract<FlowEvent, { kind: 'chose' }>): Step {
  if (event.choice === 'again') return state.isSpent ? create({ ...state, isOpen: false }) : capture(state);
  if (event.choice === 'without') return withoutCamera(state, event);
  return end(state, state.trouble === null ? { kind: 'aborted' } : { kind: 'camera', reason: state.trouble });
}

function afterVerdict(state: State): Step {
  const { reply, error, plan } = state;
  if (reply === null) throw new Error('a verdict without an answer');
  if (plan.isScored) return { state, effect: { kind: 'result' } };
  const then: End = { kind: 'verdict', reply, error, envelope: null };
  const isDeclined = reply.verificationOutcome === 'declined_by_user';
  if (reply.status === 'pass')
    return show(state, { status: isDeclined ? 'declined' : 'pass', code: null, canRetry: false }, then);
  const failed = { ...state, previousSessionId: reply.sessionId };
  const { code, recoverable: canRetry } = error ?? { code: null, recoverable: false };
  return show(failed, { status: 'fail', code, canRetry, camera: isDeclined ? 'declined' : cameraOf(state) }, then);
}

function cameraOf({ captured }: State): NonNullable<Outcome['camera']> {
  if (captured?.kind === 'captured' || captured?.reason === 'no_face_capture') return 'seen';
  return captured?.reason === 'NotFoundError' ? 'none' : 'unasked';
}

function afterDispatch(state: State, envelope: ScoreEnvelope): Step {
  const { reply, error } = state;
  if (reply === null) throw new Error('a dispatch without an answer');
  const status = reply.status === 'pass' && !/fail|blocked/.test(envelope.dispatch.status) ? 'pass' : 'noted';
  return show(state, { status, code: null, canRetry: false }, { kind: 'verdict', reply, error, envelope });
}

function refuse(state: State, reply: Reply): Step {
  if (isJudged(state)) return endJudged(state);
  const outcome = outcomeOfError(reply);
  if (!isOver(outcome.code)) return show(state, outcome, { kind: 'refused', reply });
  // Such a session is followed by another; what was measured for it is its own.
  const isFinal = state.plan.isGiven && state.previousSessionId === null;
  const after = { ...state, isOpen: false, captured: null };
  return show(after, { ...outcome, canRetry: !isFinal }, { kind: 'refused', reply, isFinal });
}

/** A session whose time is over, or whose capture came apart. */
const isOver = (code: string | null): boolean => code !== null && /^SESSION_EXPIRED$|^CHALLENGE_/.test(code);
const troubleCodes = { network: 'NETWORK_ERROR', timeout: 'TIMEOUT', server: 'SERVICE_UNAVAILABLE' } as const;

/** The respondent's view of a refusal, or of a service that does not reply. */
export function outcomeOfError(answer: Reply | Trouble): Outcome {
  if (answer.kind === 'trouble') return { status: 'error', code: troubleCodes[answer.reason], canRetry: true };
  const { code } = (answer.body ?? {}) as { code?: unknown };
  const shown = typeof code === 'string' ? code : null;
  return { status: 'error', code: shown, canRetry: isOver(shown) || shown === 'RATE_LIMIT_EXCEEDED' };
}

/** Whether only the envelope of score mode is missing: nothing else is made of a verdict that was given. */
const isJudged = (state: State): state is State & { readonly reply: VerifyReply } =>
  state.plan.isScored && state.reply !== null;
const endJudged = (state: State & { readonly reply: VerifyReply }): Step =>
  end(state, { kind: 'verdict', reply: state.reply, error: state.error, envelope: null });

function giveUp(state: State, trouble: Trouble): Step {
  if (isJudged(state)) return endJudged(state);
  const then: End = { kind: 'unreachable', trouble };
  // If a project wants pictures, a respondent without them has to try again before they pass unseen.
  const isSampled = state.captured?.parts.evidenceFrames !== undefined;
  if (!state.plan.isClosed && !isSampled) return end(state, then);
  return show(state, outcomeOfError(trouble), then);
}
