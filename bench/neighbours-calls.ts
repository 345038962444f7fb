/** Calls of the two organizations in the bench `neighbours`. */
import { Agent, request } from 'undici';
import { deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { SessionReply } from '../src/contract/session.js';
import type { Neighbourhood, Tenant } from './neighbours-server.js';
import { scoreBodies } from './score-bodies.js';

const origin = 'https://survey.example';
/** Calls at once, of the storm. */
export const heavyThings = {
  recount: 20,
  export: 4,
  simulate: 8,
  recommendations: 8,
  erasure: 8,
  webhooks: 8,
} as const;
export type HeavyThing = keyof typeof heavyThings;

export interface Answer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly text: string;
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
  return { status: answer.statusCode, retryAfterMs: Number(answer.headers['retry-after'] ?? 0) * 1_000, text };
}

export const keyOf = ({ organizationKey }: Tenant): Readonly<Record<string, string>> => ({
  'x-api-key': organizationKey,
});

/** The calls of the neighbour, in turns. */
export function neighbourCalls({
  baseUrl,
  audienceUrl,
  neighbour,
}: Neighbourhood): readonly ((n: number) => Promise<Answer>)[] {
  const key = keyOf(neighbour);
  const { projectId, siteKey, studyId } = neighbour;
  return [
    (n) =>
      call(
        'POST',
        `${baseUrl}/lite/score`,
        { ...key, 'x-project-id': projectId },
        { ...(JSON.parse(scoreBodies.score(n)) as object), projectId },
      ),
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

/** Calls of the storm, by kind, without pause. */
export function stormCalls({
  baseUrl,
  audienceUrl,
  storm,
}: Neighbourhood): Readonly<Record<HeavyThing, (n: number) => Promise<Answer>>> {
  const key = keyOf(storm);
  const { projectId, studyId } = storm;
  const quotas = (n: number) =>
    Array.from({ length: 20 }, (_, index) => ({
      name: `q${index}`,
      country: 'DE',
      ageMin: 18 + ((n + index) % 30),
      limit: 900_000,
    }));
  const webhooks = `${baseUrl}/projects/${projectId}/webhooks`;
  return {
    recount: (n) => call('PATCH', `${audienceUrl}/studies/${studyId}`, key, { audience: { quotas: quotas(n) } }),
    export: () => call('GET', `${audienceUrl}/studies/${studyId}/export?format=csv`, key),
    simulate: (n) =>
      call('POST', `${baseUrl}/lite/simulate`, key, {
        projectId,
        reviewLow: 20 + (n % 9),
        blockThreshold: 60,
        flips: 100,
      }),
    recommendations: () => call('GET', `${baseUrl}/lite/threshold-recommendations?projectId=${projectId}`, key),
    erasure: (n) => call('DELETE', `${baseUrl}/projects/${projectId}/respondents/nobody-${n}`, key),
    webhooks: async (n) => {
      const { text } = await call('GET', `${webhooks}?limit=200`, key);
      const ids = (JSON.parse(text) as { webhooks: { webhookId: string }[] }).webhooks;
      return call('POST', `${webhooks}/${ids[n % ids.length]?.webhookId}/test`, key);
    },
  };
}
