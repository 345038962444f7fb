/**
 * The public types of the probe. The file stands alone, because it is published as the module's
 * declarations as it is; the build of a run checks snapshots against the service's contract.
 */

/** Options of a run. */
export interface RunOptions {
  /** Public probe key of the project (`pk_...`). */
  readonly projectKey: string;
  /** The session that the scoring call will name; a random UUID when omitted. */
  readonly sessionId?: string | undefined;
  /** The API root (`https://verify.example/api/v1`), or a path that you forward to the service's; without it, the service that served the script. */
  readonly endpoint?: string | undefined;
  /** How long the first message may take, milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Names of signals to leave out, for example `storage`, `canvas`, `audio` or `worker`. */
  readonly without?: readonly string[] | undefined;
}

/**
 * The result of a run. `sent` is false if the service did not take the message, and `reason` says why: `secret` (a key of the backend was
 * given, and nothing was sent), `HTTP` and a status (refused), `page` (the page broke the probe), `endpoint` (none was given, and the module does not know its service), `network` (nothing answered in time, or it was blocked), `no page`.
 */
export interface RunResult {
  readonly sessionId: string;
  readonly sent: boolean;
  readonly reason?: string;
}

/** Options of a question observer. */
export interface QuestionOptions {
  readonly questionId: string;
  /** Whether the question's own text may leave the browser. Answers never do. */
  readonly captureText?: boolean | undefined;
}

/** A running question observer. */
export interface QuestionHandle {
  getSnapshot(): QuestionSnapshot;
  /** Ends the observation; the snapshot stays as it is. Calling it again does nothing. */
  stop(): void;
}

/** The counts of a question observer so far. */
export interface QuestionSnapshot {
  questionId: string;
  timeOnQuestionMs: number;
  mouseMoveCount: number;
  keyCount: number;
  pasteCount: number;
  focusEntries: number;
  focusExits: number;
  /** True once the observer was stopped; absent until then. */
  ended?: boolean;
  /** The question's own text; only with `captureText`. */
  text?: string;
}

/** The probe of one page. */
export interface Lite {
  /** Probes the page for one session; never rejects. Called again for the same session, it joins the run under way. */
  run(options: RunOptions): Promise<RunResult>;
  /** Ends the run under way and its updates. `run` begins another. */
  stop(): void;
  /** Observes how a question is answered (an element, or a selector); the snapshots travel with the probe's updates. */
  startQuestionObserver(target: Element | string, options: QuestionOptions): QuestionHandle;
  /** The observed questions as they stand now: the latest fifty. */
  snapshots(): QuestionSnapshot[];
}
