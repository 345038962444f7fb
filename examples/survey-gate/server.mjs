/**
 * A backend between respondents and a survey platform: it names the session on the way in, and scores it when the platform asks. The project
 * key stays here. Usage: API=https://verify.example/api/v1 PROJECT_KEY=vf_... CHECK_TOKEN=... SURVEY_URL=https://... node server.mjs
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import express from 'express';

const { API: api, PROJECT_KEY: projectKey, CHECK_TOKEN: checkToken, SURVEY_URL: surveyUrl } = process.env;
const { HOST: host = '127.0.0.1', PORT: port = '8080' } = process.env;
if (!api || !projectKey || !checkToken || !surveyUrl)
  throw new Error('Set API, PROJECT_KEY, CHECK_TOKEN and SURVEY_URL.');

/** Respondents on their way, by session. Your database replaces this. */
const sessions = new Map();
const digest = (text) => createHash('sha256').update(text).digest();

const app = express();
app.use(express.json({ limit: '16kb' }), express.urlencoded({ limit: '16kb' }));

// The address that respondents get. The platform calls later from its own address, so theirs is noted now.
app.get('/enter', (request, response) => {
  const session = randomUUID();
  sessions.set(session, { clientIp: request.ip, userAgent: request.get('user-agent') });
  const url = new URL(surveyUrl);
  url.searchParams.set('vh_session', session);
  response.redirect(302, url.href);
});

async function verdictOf(sessionId) {
  const answer = await fetch(`${api}/lite/score`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, ...sessions.get(sessionId), studyId: 'study-7' }),
    signal: AbortSignal.timeout(4_000),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { score, recommendation, duplicate } = await answer.json();
  const isRepeat = duplicate.measured && ['likely', 'confirmed'].includes(duplicate.band);
  return isRepeat && score >= 50 ? 'block' : recommendation;
}

// The platform's server asks with the token, in JSON or as a form. A session that did not enter here is reviewed.
app.post('/check', async (request, response) => {
  const given = digest(request.get('authorization') ?? '');
  if (!timingSafeEqual(given, digest(`Bearer ${checkToken}`)))
    return response.status(401).json({ error: 'wrong token' });
  const { session } = request.body ?? {};
  return response.json({ verdict: sessions.has(session) ? await verdictOf(session) : 'review' });
});

// For platforms that only redirect at the end: the verdict is noted here and never shown.
app.get('/done', async (request, response) => {
  const { session, response: answersId } = request.query;
  const verdict = sessions.has(session) ? await verdictOf(session) : 'review';
  console.log(JSON.stringify({ session, response: answersId, verdict }));
  return response.send('Thank you.');
});

// The service cannot be reached: the interview goes on, and is looked at later.
app.use((error, request, response, _next) => {
  console.error(error);
  return request.path === '/check' ? response.json({ verdict: 'review' }) : response.send('Thank you.');
});

const server = app.listen(Number(port), host, (error) => {
  if (error) throw error;
  console.log(`http://${host}:${server.address().port}`);
});
