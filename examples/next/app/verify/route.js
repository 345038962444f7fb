const { API: api, PROJECT_KEY: projectKey } = process.env;

/** Asks the service what the browser's token is worth. The project key stays here. */
export async function POST(request) {
  const { token } = (await request.json().catch(() => null)) ?? {};
  if (typeof token !== 'string') return Response.json({ error: 'token is missing' }, { status: 400 });
  const answer = await fetch(`${api}/token/verify`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(10_000),
  });
  const verified = await answer.json();
  const isPerson = answer.ok && verified.success && verified.status === 'pass';
  return Response.json({ verified: isPerson, sessionId: verified.sessionId ?? null }, { status: isPerson ? 200 : 403 });
}
