/**
 * Verification sessions for tests against a service: made, verified and failed as a page does it.
 */
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import type { ScoreEnvelope, VerifyReply } from '../../src/contract/score-envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { TestService } from './service.js';
import { pollUntil } from './wait-until.js';

type Service = Pick<TestService, 'call' | 'bootstrap'>;
export const page = { origin: 'https://survey.example' };

/** A key of the project for test mode. */
export async function createTestKey({ call, bootstrap }: Service): Promise<string> {
  const answer = await call('POST', `/projects/${bootstrap.projectId}/api-keys`, {
    body: { name: 'Test', isTest: true },
    headers: { 'x-api-key': bootstrap.organizationKey },
  });
  return answer.body['apiKey'];
}

export async function createSession(
  service: Service,
  body: Readonly<Record<string, unknown>> = {},
): Promise<SessionReply> {
  const answer = await service.call('POST', '/public/sessions', {
    body: { siteKey: service.bootstrap.siteKey, ...body },
    headers: page,
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** An envelope with the session’s identifiers put in; of a person at a computer without a camera, who is not the documented one. */
export const envelopeFor = (session: SessionReply, over: Readonly<Record<string, unknown>> = {}) => ({
  ...deviceOnlyExample,
  behavior: { ...deviceOnlyExample.behavior, ms: deviceOnlyExample.behavior.ms + 1 },
  sessionId: session.sessionId,
  nonce: session.challengeConfig.nonce,
  ...over,
});

/** An automated browser that reports it. */
export const automated = {
  device: { ...deviceOnlyExample.device, auto: { ...deviceOnlyExample.device.auto, webdriver: true } },
  nonce: 'of another session',
};

/** Sends again while the service is busy, as the widget offers it: pictures are judged within seconds or not at all. */
export const sendUntilJudged = <T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> =>
  pollUntil(
    'a verdict, not 503',
    async () => {
      const answer = await send();
      return answer.status === 503 ? undefined : answer;
    },
    240_000,
  );

export async function verify(
  service: Service,
  session: SessionReply,
  over: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: VerifyReply; readonly headers: Headers }> {
  return service.call('POST', '/public/verify', {
    body: envelopeFor(session, over),
    headers: {
      ...page,
      'user-agent': deviceOnlyExample.device.ua.ua,
      'x-client-secret': session.clientSecret,
      ...headers,
    },
  });
}

export async function readResult(
  service: Service,
  session: SessionReply,
): Promise<{ readonly status: number; readonly body: ScoreEnvelope }> {
  return service.call('GET', `/public/sessions/${session.sessionId}/result`, {
    headers: { ...page, 'x-client-secret': session.clientSecret },
  });
}

export interface PreparedCall {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A documented call made ready: the session that it names is made, and brought to where the operation takes it. */
export async function prepareCall(
  service: Service,
  operationId: string,
  { path, body }: { readonly path: string; readonly body: unknown },
): Promise<PreparedCall> {
  if (operationId.endsWith('Respondent') && path.includes('{respondentId}'))
    return { path: path.replace('{respondentId}', 'nobody'), body, headers: {} };
  if (operationId === 'followRedirect')
    return { path: `${path.replace('{sessionId}', `sess_${'0'.repeat(32)}`)}?code=none`, body, headers: {} };
  if (operationId !== 'verifySession' && !path.includes('{sessionId}')) return { path, body, headers: {} };
  const session = await createSession(service);
  const headers = { ...page, 'x-client-secret': session.clientSecret };
  if (operationId === 'nextChallenge') return { path: path.replace('{sessionId}', session.sessionId), body, headers };
  if (operationId === 'verifySession')
    return {
      path,
      body: { ...(body as object), sessionId: session.sessionId, nonce: session.challengeConfig.nonce },
      headers,
    };
  await verify(service, session, automated);
  return {
    path: path.replace('{sessionId}', session.sessionId),
    body,
    headers: ['retrySession', 'readResult'].includes(operationId) ? {} : headers,
  };
}
