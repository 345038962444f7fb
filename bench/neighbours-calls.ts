/** Calls of the neighbour in the bench `neighbours`, and what calls of both organizations share. */
import { Agent, request } from 'undici';
import { deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { SessionReply } from '../src/contract/session.js';
import type { Neighbourhood, Tenant } from './neighbours-server.js';
import { scoreBodies } from './score-bodies.js';

const origin = 'https://survey.example';
export interface Answer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly text: string;
  /** The cookies that it sets. */
  readonly cookie?: string;
}

const agent = new Agent({ connections: 256, headersTimeout: 60_000, bodyTimeout: 60_000 });

export async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await request(url, { method, dispatcher: agent, headers: { ...headers, ...type }, ...json });
  const text = await answer.body.text();
  const set = [answer.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0]);
  const cookie = set.length === 0 ? undefined : set.join('; ');
  const retryAfterMs = Number(answer.headers['retry-after'] ?? 0) * 1_000;
  return { status: answer.statusCode, retryAfterMs, text, ...(cookie !== undefined && { cookie }) };
}

export const keyOf = ({ organizationKey }: Tenant): Readonly<Record<string, string>> => ({
  'x-api-key': organizationKey,
});

export const scoreCall = ({ baseUrl }: Neighbourhood, { projectKey }: Tenant, n: number): Promise<Answer> =>
  call('POST', `${baseUrl}/lite/score`, { 'x-api-key': projectKey }, JSON.parse(scoreBodies.score(n)));

/** The calls of the neighbour, in turns. */
export function neighbourCalls(target: Neighbourhood): readonly ((n: number) => Promise<Answer>)[] {
  const { baseUrl, audienceUrl, neighbour } = target;
  const key = keyOf(neighbour);
  const { projectId, siteKey, studyId } = neighbour;
  return [
    (n) => scoreCall(target, neighbour, n),
    async (n) => {
      const opened = await call('POST', `${baseUrl}/public/sessions`, { origin }, { siteKey });
      if (opened.status !== 201) return opened;
      const session = JSON.parse(opened.text) as SessionReply;
      const headers = { origin, 'user-agent': deviceOnlyExample.device.ua.ua, 'x-client-secret': session.clientSecret };
      return call('POST', `${baseUrl}/public/verify`, headers, {
        ...deviceOnlyExample,
        behavior: { ...deviceOnlyExample.behavior, ms: deviceOnlyExample.behavior.ms + n + 1 },
        device: { ...deviceOnlyExample.device, ...scoreBodies.device(n) },
        sessionId: session.sessionId,
        nonce: session.challengeConfig.nonce,
      });
    },
    (n) => call('GET', `${audienceUrl}/enter/${studyId}?rid=visit-${n}&src=panel`, {}),
    () => call('GET', `${audienceUrl}/studies/${studyId}`, key),
    () => call('GET', `${baseUrl}/projects/${projectId}/webhooks`, key),
  ];
}
