/**
 * The types that the probe's files share. Those of the message derive from the service's contract,
 * so a field that the service does not know does not compile here.
 */
import type { ProbeBody, QuestionSnapshot } from '../../src/contract/probe.js';

export type { ProbeBody, QuestionSnapshot };

/** The groups of the message that signals fill. */
export type GroupName = 'ids' | 'auto' | 'lies' | 'ua' | 'hw' | 'scr' | 'loc' | 'gfx' | 'env' | 'page' | 'beh';
export type Group<Name extends GroupName> = NonNullable<ProbeBody[Name]>;
export type Groups = { [Name in GroupName]?: Group<Name> };

/** A signal read once: what it found of its group, or a promise of it. What it throws counts as "not measured". */
export type Reader<Name extends GroupName> = () => Group<Name> | Promise<Group<Name>>;

/**
 * Adds a listener at the window, before the page's own. It sees the events that the browser made, or,
 * where `untrusted` is true, only those that a script made.
 */
export type Listen = <Type extends keyof WindowEventMap>(type: Type, handle: (event: WindowEventMap[Type]) => void, untrusted?: boolean) => void;

/** A signal that accumulates: it listens, and hands back a function that reads what there is by now. */
export type Watcher<Name extends GroupName> = (listen: Listen) => () => Group<Name>;

/** Named signals, the name being the file's, each with the group that it fills. */
export type Readers = Record<string, { [Name in GroupName]: readonly [Name, Reader<Name>] }[GroupName]>;
export type Watchers = Record<string, { [Name in GroupName]: readonly [Name, Watcher<Name>] }[GroupName]>;

/** Options of a run. */
export interface RunOptions {
  /** Public probe key of the project (`pk_...`). */
  readonly projectKey: string;
  /** The session that the scoring call will name; a random UUID when omitted. */
  readonly sessionId?: string | undefined;
  /** Where the probe is sent; the service that served the script, when omitted. */
  readonly endpoint?: string | undefined;
  /** How long the first message may take, milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Names of signals to leave out, for example `storage`, `canvas`, `audio` or `worker`. */
  readonly without?: readonly string[] | undefined;
}

/** What a run resolves to. `sent` is false where the service did not take the message. */
export interface RunResult {
  readonly sessionId: string;
  readonly sent: boolean;
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
