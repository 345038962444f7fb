/**
 * Asks a running service for the replies that the API document shows: fixed sessions for the verdicts, and one call for each error.
 */
import type { RecordedReplies } from '../src/http/openapi.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';

const verdicts = {
  allow: 'test_allow',
  review: 'test_review',
  block: 'test_block',
  duplicate: 'test_duplicate_confirmed',
} as const;

/** In place of what differs from call to call. */
const fixed = { requestId: '7f6d3c1e-52a4-4b8e-9c0f-1d2e3a4b5c6d', resetDate: '2026-06-01T12:00:02.000Z' } as const;

interface Ask {
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const session = { sessionId: 'session-1', clientIp: '8.8.8.8' };

/** Calls that are refused, each for another reason. */
const refusals = (liveKey: string, projectId: string): readonly Ask[] => [
  { path: '/lite/score', body: { ...session, clientIp: '8.8.8.8:443' } },
  { path: '/lite/score', text: '{"sessionId": "session-1",}' },
  { path: '/lite/score', body: session, headers: { 'x-api-key': 'vf_live_unknown' } },
  { path: `/projects/${projectId}`, method: 'PATCH', body: {}, headers: { 'x-api-key': liveKey } },
  { path: '/lite/score/rcpt_00000000000000000000000000000000/evidence', method: 'GET' },
  { path: '/lite/score', body: { ...session, clientIp: '8.8.4.4' }, headers: { 'idempotency-key': 'submit-1' } },
  { path: '/lite/score', body: { ...session, userAgent: 'x'.repeat(1_100_000) } },
  { path: '/lite/score', text: 'sessionId=session-1', headers: { 'content-type': 'text/csv' } },
  { path: '/lite/score', body: { ...session, sessionId: 'test_rate_limited' } },
  { path: '/lite/score', body: { ...session, sessionId: 'test_unavailable' } },
];

/** Returns the replies, sorted by status; throws where a call is not answered as it has to be. */
export async function recordReplies({
  baseUrl,
  projectId,
  projectKey,
  organizationKey,
}: Bootstrap): Promise<RecordedReplies> {
  const ask = async ({ path, method = 'POST', body, text, headers }: Ask) => {
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
  };
  const made = await ask({
    path: `/projects/${projectId}/api-keys`,
    body: { name: 'Recorded replies', isTest: true },
    headers: { 'x-api-key': organizationKey },
  });
  const testKey = { 'x-api-key': String(made.body['apiKey']) };
  const score: Record<string, object> = {};
  for (const [name, sessionId] of Object.entries(verdicts)) {
    const { status, body } = await ask({ path: '/lite/score', body: { ...session, sessionId }, headers: testKey });
    if (status !== 200) throw new Error(`${sessionId} was answered with ${status}`);
    score[name] = body;
  }
  await ask({ path: '/lite/score', body: session, headers: { ...testKey, 'idempotency-key': 'submit-1' } });
  const errors: Record<string, Record<string, object>> = {};
  for (const one of refusals(projectKey, projectId)) {
    const { status, body } = await ask({ ...one, headers: { ...testKey, ...one.headers } });
    if (status < 400) throw new Error(`${one.path} was answered with ${status}`);
    const kept = Object.entries(body).map(([name, value]) => [
      name,
      name in fixed ? fixed[name as 'requestId'] : value,
    ]);
    (errors[status] ??= {})[String(body['code'])] = Object.fromEntries(kept) as object;
  }
  return { score, errors };
}
