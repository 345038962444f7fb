/**
 * The seams of the widget: what its flow asks of the interface (View) and of the camera part (Camera), and what it gets back.
 *
 * The flow alone decides the order of things; a View draws and answers, a Camera measures. Neither talks to the service. The camera
 * part is a separate module (`verifyhuman.capture.js` next to the bundle, `./capture.js` in the package), loaded when the flow first
 * needs it. It exports one `Camera` named `camera`.
 */
import type { VHDeepfake } from './api.js';
import type {
  Demographics,
  EnvelopeCamera,
  EnvelopeChallenge,
  EnvelopeEmbedding,
  EnvelopeFeatures,
  EnvelopeFrames,
} from '../../src/contract/envelope.js';
import type { ConsentTerms as ContractTerms } from '../../src/contract/consent.js';
import type { EvidenceFrame, EvidenceFramesMode } from '../../src/contract/evidence-frames.js';
import type { DemandedAssurance } from '../../src/contract/project.js';
import type { Branding } from '../../src/contract/project-parts.js';
import type { ChallengeReply, ChallengeRequest } from '../../src/contract/session.js';
import type { ChallengeType } from '../../src/contract/verdict.js';

import type { Language } from './ui/locale.js';

/** The terms that the consent states. */
export interface ConsentTerms extends ContractTerms {
  /** Whether age, gender and lightness of the skin are estimated. */
  readonly demographics: boolean;
}

export type WidgetMode = 'invisible' | 'captcha' | 'standard';

/** Everything that shapes the interface; fixed for the life of a View. */
export interface ViewOptions {
  /** The page's element. The View attaches its shadow root below an element that it adds here, and takes that away in `close`. */
  readonly host: Element;
  /** `invisible` draws nothing until the flow asks for consent, the camera or a retry. */
  readonly mode: WidgetMode;
  readonly theme: 'light' | 'dark' | 'auto';
  readonly style: 'classic' | 'friendly';
  readonly avatar: 'friendly' | 'minimal' | 'neon';
  /** How captcha mode is started. */
  readonly interaction: 'checkbox' | 'slider';
  readonly language: Language;
  /** Whether the session is a test or a demo, which the interface says. */
  readonly isTest: boolean;
  /** The project's own branding, without parts that its tier does not allow. */
  readonly branding: Branding | null;
  /** The disclosure of the check in addition to biometric consent. `text` is plain text, present with CUSTOM, and never markup. */
  readonly disclosure: Disclosure;
  /** null where nobody is asked for biometric consent. */
  readonly consent: ConsentTerms | null;
  /** Read whenever something is drawn. */
  readonly demands: Demands;
}

/** The demands of the check: the project's, and once there is a session, the session's, which may be higher. */
export interface Demands {
  /** biometric: nobody goes on without the camera. */
  minimumAssurance: DemandedAssurance;
  /** sampled: pictures are sent, and the consent says so. */
  evidenceFrames: EvidenceFramesMode;
}

export interface Disclosure {
  readonly mode: 'NEUTRAL' | 'TRANSPARENT' | 'CUSTOM';
  readonly text: string | null;
}

/**
 * The interface of one mount. Each question settles once, by the respondent's act; after `close` a question still open never
 * settles, and the flow does not wait for it. No method throws for a respondent's act.
 */
export interface View {
  /** Shows how to begin (checkbox, slider or button) and resolves when the respondent did. */
  awaitStart(): Promise<StartAct>;
  /** Biometric consent, in full, before any camera access. `declined` goes on without the camera. */
  askConsent(): Promise<'granted' | 'declined'>;
  /** Opens the camera stage; called again for another try, it gives a fresh one. */
  openStage(): Stage;
  /** The camera could not be used, or was canceled: says why, and what the respondent wants. `without` is offered only where allowed. */
  askCameraAgain(reason: CameraStop): Promise<'again' | 'without' | 'cancel'>;
  /** Something is under way; shown until the next call. */
  showProgress(phase: Phase): void;
  /**
   * The end of a try. Resolves with `retry` where `canRetry` and the respondent asked for one, with `without` where they want one without the
   * camera, else with `done` when read or at once.
   */
  showOutcome(outcome: Outcome): Promise<'retry' | 'without' | 'done'>;
  /** Takes the interface off the page. Calling it again does nothing. */
  close(): void;
}

/** How a start was made: `trusted` is the event's own isTrusted. */
export interface StartAct {
  readonly trusted: boolean;
}

/** The camera stage while a capture runs. */
export interface Stage {
  /** In the page; the camera part sets its srcObject and takes it away again. Without a picture the guide takes its place. */
  readonly video: HTMLVideoElement;
  /** Called up to 30 times a second; cheap where nothing changed. */
  guide(step: GuideStep): void;
  /** Whether the respondent has asked for more time since it was called last. */
  takeMoreTime(): boolean;
  /** Aborted when the respondent chose to stop, or to go on without the camera; the reason is one of those words. */
  readonly signal: AbortSignal;
  /** Takes the stage off; the flow calls it however the capture ended. */
  close(): void;
}

/** Reason of `Stage.signal`. */
export type StageExit = 'without' | 'cancel';

/** Guidance for the respondent while the camera runs. Left and right are the respondent's own. */
export type GuideStep =
  | { readonly kind: 'loading'; readonly bytes?: LoadedBytes }
  | { readonly kind: 'look_straight' | 'too_dark' | 'no_face' | 'too_far' | 'many_faces' | 'done' }
  | {
      readonly kind: 'challenge';
      readonly type: ChallengeType;
      /** Counted from 0, of how many. */
      readonly index: number;
      readonly total: number;
      /** How far this one is answered, 0-1. */
      readonly progress: number;
      /** Time left to answer it, milliseconds. */
      readonly leftMs: number;
    };

/** How much of the models has arrived. */
export interface LoadedBytes {
  readonly loaded: number;
  readonly total: number;
}

export type CameraTrouble = 'denied' | 'busy' | 'dismissed';

/** Why the respondent is asked how to go on: `canceled` is their own act while the camera ran. */
export type CameraStop = CameraTrouble | 'canceled';

export type Phase = 'starting' | 'checking' | 'loading_camera' | 'sending';

/** The result of a try, as the respondent sees it. */
export interface Outcome {
  /**
   * `declined` is a pass without the camera; `noted` says nothing of the verdict, which is somebody else's to give; `error` is a failure of
   * transport or set-up, not a verdict.
   */
  readonly status: 'pass' | 'fail' | 'declined' | 'noted' | 'error';
  /** A VerifyError code, null, or DEGRADED for a pass without the service. Texts are the View's; the code is for choosing them. */
  readonly code: string | null;
  readonly canRetry: boolean;
  /** Describes the camera in a failure: its picture was seen, none was found, it was declined, or the respondent was not asked. */
  readonly camera?: 'seen' | 'none' | 'declined' | 'unasked';
}

/** `sdk/widget/ui/view.ts` exports `createView` of this type. */
export type CreateView = (options: ViewOptions) => View;

/** The camera part. */
export interface Camera {
  /** Begins to load the models. A failure shows in the capture. */
  prepare(models: ModelsRequest): Preparation;
}

/** Models that are loading or loaded, good for one capture. */
export interface Preparation {
  /**
   * Opens the camera, measures, and has it off again before it settles, whatever happens. Never rejects except with the reason of an
   * aborted `signal`.
   */
  capture(request: CaptureRequest): Promise<CaptureOutcome>;
  /** Stops loading. Needless after a capture. */
  close(): void;
}

export interface ModelsRequest {
  /** The address of the model files, ending in a slash. */
  readonly baseUrl: string;
  /** Whether age, gender and lightness of the skin are estimated; their model is left out otherwise. */
  readonly demographics: boolean;
  /** Small grey pictures of the face are kept until the service has said which it wants; else none is taken. */
  readonly takesPictures: boolean;
}

export interface CaptureRequest {
  /** How many there are to ask for; 0 for passive measurement alone. */
  readonly challengeCount: number;
  /** Asks the service for the next challenge. A rejection ends the capture. */
  readonly nextChallenge: (request: ChallengeRequest) => Promise<ChallengeReply>;
  /** `performance.now()` when the session's challenges arrived: time 0 of every time in the envelope. */
  readonly originMs: number;
  /** The stage's element; null where the respondent is not shown their picture. */
  readonly video: HTMLVideoElement | null;
  readonly guide: (step: GuideStep) => void;
  /** Whether the respondent asked for more time since the last call. If so, the current challenge restarts. */
  readonly takeMoreTime: () => boolean;
  readonly signal: AbortSignal;
  readonly useDeepfakeDetection: boolean;
}

export type CaptureOutcome =
  | { readonly kind: 'captured'; readonly parts: CapturedParts; readonly telemetry: CaptureTelemetry }
  /** No capture, and nothing that the respondent could do: no camera, no model, no face in time, an insecure context. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly parts: CapturedParts;
      /** Said to the page's author, where it is the page or the service that is at fault. */
      readonly detail?: string;
    }
  /** The camera is there and was not given: `name` is the DOM exception's. */
  | { readonly kind: 'refused'; readonly reason: CameraTrouble; readonly name: string };

/** The verification envelope's parts that a camera fills; their shapes are the contract's. */
export interface CapturedParts {
  readonly camera?: EnvelopeCamera;
  readonly frames?: EnvelopeFrames;
  readonly challenges?: readonly EnvelopeChallenge[];
  readonly features?: EnvelopeFeatures;
  readonly embedding?: EnvelopeEmbedding;
  readonly evidenceFrames?: EvidenceFrame[];
  readonly demographics?: Demographics;
  readonly glassesDetected?: boolean;
  /** Times since `originMs`, and how long the models took, milliseconds. */
  readonly cameraMs?: number;
  readonly modelsMs?: number;
}

/** Local telemetry of a capture; nothing of it is a score of the service. */
export interface CaptureTelemetry {
  /** The page's own estimate that a live person was there, 0-1. */
  readonly livenessScore: number;
  readonly challengesPassed: number;
  readonly challengesTotal: number;
  /** Present with `useDeepfakeDetection`. */
  readonly deepfake?: VHDeepfake;
}
