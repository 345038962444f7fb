/**
 * The service's calls of a mount, in its own words. Each gives what the service said, or the Reply of a refusal, or a Trouble.
 */
import type { Envelope } from '../../src/contract/envelope.js';
import type { OriginCheck } from '../../src/contract/project.js';
import type { ScoreEnvelope, VerifyAnswer } from '../../src/contract/score-envelope.js';
import type {
  ChallengeReply,
  ChallengeRequest,
  PublicSessionCreation,
  SessionReply,
} from '../../src/contract/session.js';
import type { MountOptions } from './api.js';
import type { Reply, Transport, Trouble } from './http.js';
import { readStorage } from '../lite/signals/storage.js';
import { payWithWork, type AskWithProof } from './proof.js';
import { replyOfEnvelope } from './result.js';
import type { SessionSecrets } from './session-secrets.js';

export type Said<T> = { readonly kind: 'said'; readonly value: T } | Reply | Trouble;
export type Opened = Pick<SessionReply, 'sessionId' | 'clientSecret'>;

export interface ServiceCalls {
  createSession(
    options: MountOptions,
    previousSessionId: string | null,
    signal: AbortSignal,
  ): Promise<Said<SessionReply>>;
  verify(session: Opened, envelope: Envelope, signal: AbortSignal): Promise<Said<VerifyAnswer>>;
  nextChallenge(session: Opened, request: ChallengeRequest, signal: AbortSignal): Promise<Said<ChallengeReply>>;
  readResult(session: Opened, signal: AbortSignal): Promise<Said<ScoreEnvelope>>;
  /** The service's answer about this page's origin. */
  checkOrigin(siteKey: string, signal: AbortSignal): Promise<Said<OriginCheck>>;
}

export function createServiceCalls(endpoint: string, call: Transport, secrets: SessionSecrets): ServiceCalls {
  const said = <T>(answer: Reply | Trouble): Said<T> =>
    answer.kind === 'reply' && answer.status < 300 ? { kind: 'said', value: answer.body as T } : answer;
  const secretOf = ({ clientSecret }: Opened) => ({ 'x-client-secret': clientSecret });

  const urlOf = ({ sessionId }: Opened, part: string): string =>
    `${endpoint}/public/sessions/${encodeURIComponent(sessionId)}/${part}`;
  const readResult: ServiceCalls['readResult'] = async (session, signal) => {
    const url = urlOf(session, 'result');
    return said(await call({ method: 'GET', url, headers: secretOf(session) }, signal));
  };
  /** The session that this tab began before a reload, if it still waits for its envelope. */
  const findBegun = async (words: string, signal: AbortSignal): Promise<SessionReply | undefined> => {
    const begun = secrets.findBegun(words);
    if (begun === undefined) return undefined;
    const result = await readResult(begun, signal);
    return result.kind === 'reply' && codeOf(result) === 'CONFLICT' ? begun : undefined;
  };
  return {
    readResult,
    async nextChallenge(session, body, signal) {
      secrets.use(session.sessionId);
      const url = urlOf(session, 'challenges');
      return said(await call({ method: 'POST', url, body, headers: secretOf(session), ...impatience }, signal));
    },
    async checkOrigin(siteKey, signal) {
      const url = `${endpoint}/origin-check?siteKey=${encodeURIComponent(siteKey)}`;
      return said(await call({ method: 'GET', url }, signal));
    },
    async createSession(options, previousSessionId, signal) {
      const given = options.session as SessionReply | undefined;
      if (given !== undefined && previousSessionId === null) {
        secrets.keep(given);
        return { kind: 'said', value: given };
      }
      const body = creationOf(
        options,
        previousSessionId,
        previousSessionId === null ? undefined : secrets.find(previousSessionId),
      );
      const words = previousSessionId === null ? wordsOf(endpoint, body) : null;
      const begun = words === null ? undefined : await findBegun(words, signal);
      if (begun !== undefined) {
        secrets.keep(begun);
        return { kind: 'said', value: begun };
      }
      const url = `${endpoint}/public/sessions`;
      const ask: AskWithProof = (proof) => call({ method: 'POST', url, body: { ...body, ...proof } }, signal);
      const created = said<SessionReply>(await payWithWork(ask, signal));
      if (created.kind === 'said') {
        secrets.keep(created.value);
        if (words !== null) secrets.begin(words, created.value);
      }
      return created;
    },
    async verify(session, envelope, signal) {
      secrets.use(session.sessionId);
      const url = `${endpoint}/public/verify`;
      const answer = await call({ method: 'POST', url, body: envelope, headers: secretOf(session) }, signal);
      const isDone = answer.kind === 'reply' && codeOf(answer) === 'SESSION_COMPLETED';
      // An earlier try arrived, and its answer got lost.
      if (!isDone || !answer.repeated) return said(answer);
      const result = await readResult(session, signal);
      return result.kind === 'said' ? { kind: 'said', value: replyOfEnvelope(result.value) } : result;
    },
  };
}

/** The request of a session; the time of a consent is the page's, and the browser stays the same. */
const wordsOf = (
  endpoint: string,
  { consent: _consent, deviceToken: _token, ...body }: PublicSessionCreation,
): string => JSON.stringify([endpoint, body]);

/** Somebody waits before the camera: a request that got stuck is given up soon and repeated, which is safe. */
const impatience = { requestMs: 4_000, retries: 4 } as const;

const codeOf = ({ body }: Reply): unknown => (body as { code?: unknown } | undefined)?.code;

function creationOf(
  options: MountOptions,
  previousSessionId: string | null,
  previousClientSecret: string | undefined,
): PublicSessionCreation {
  const { siteKey, studyId, respondentId, metadata, linkId, dataCollector, widgetMode, consent } = options;
  // JSON leaves out what is undefined.
  return JSON.parse(
    JSON.stringify({
      siteKey,
      studyId,
      respondentId,
      metadata,
      linkId,
      dataCollector,
      widgetMode,
      consent,
      previousSessionId: previousSessionId ?? undefined,
      previousClientSecret,
      deviceToken: readDeviceToken(),
    }),
  ) as PublicSessionCreation;
}

/** Undefined where the page has no storage. */
function readDeviceToken(): string | undefined {
  try {
    return readStorage().token;
  } catch {
    return undefined;
  }
}
