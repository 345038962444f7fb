import { cookies } from 'next/headers';

const { API: api, PROJECT_KEY: projectKey, STUDY_ID: studyId = 'study-7' } = process.env;
/** The least evidence of a pass: biometric if the survey needs a camera check. */
const { ASSURANCE: minimumAssurance = 'device_only' } = process.env;

/** Asks the service what the browser's token is worth. The project key stays here. */
export async function POST(request) {
  const { token } = (await request.json().catch(() => null)) ?? {};
  if (typeof token !== 'string') return Response.json({ error: 'token is missing' }, { status: 400 });
  const respondentId = (await cookies()).get('respondent')?.value;
  if (!respondentId) return Response.json({ error: 'who is this?' }, { status: 403 });
  // A token of somebody else, of another study or of less assurance is refused, and so is one that was spent elsewhere.
  const expected = { studyId, respondentId, minimumAssurance, use: `${studyId} ${respondentId}` };
  const answer = await fetch(`${api}/token/verify`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...expected }),
    signal: AbortSignal.timeout(10_000),
  });
  // A wrong key or address is a mistake of this backend, and no verdict on the respondent.
  if (!answer.ok) throw new Error(await answer.text());
  const { success, status, dispatch, mode, sessionId = null, error, field, hint } = await answer.json();
  const isPass = success && status === 'pass' && dispatch !== 'score_blocked';
  const isPerson = isPass && mode === 'live';
  if (!isPerson) console.log('refused:', { sessionId, status, dispatch, mode, error, field, hint });
  return Response.json({ verified: isPerson, sessionId }, { status: isPerson ? 200 : 403 });
}
