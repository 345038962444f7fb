/**
 * A backend that trusts nobody's page: it takes the token from the browser and asks the service what it is worth. The project key stays
 * here. Usage: API=https://verify.example/api/v1 PROJECT_KEY=vf_... node server.mjs [folder to serve]
 */
import { randomUUID } from 'node:crypto';
import express from 'express';

const { API: api, PROJECT_KEY: projectKey, HOST: host = '127.0.0.1', PORT: port = '8080' } = process.env;
if (api === undefined || projectKey === undefined) throw new Error('Set API and PROJECT_KEY.');
/** The study that the page mounts with, and what a pass has to rest on: biometric where the survey needs a camera check. */
const { STUDY_ID: studyId = 'study-7', ASSURANCE: minimumAssurance = 'device_only' } = process.env;

const app = express();
app.use(express.json({ limit: '16kb' }));
// Identifies the respondent, as your panel or login does. Here it is a random id, which the page mounts the widget with.
app.use((request, response, next) => {
  const known = /(?:^|; )respondent=([\w-]{36})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1];
  request.respondentId = known ?? randomUUID();
  if (known === undefined) response.cookie('respondent', request.respondentId, { sameSite: 'lax' });
  next();
});
app.use(express.static(process.argv[2] ?? 'public'));

app.post('/verify', async (request, response) => {
  const { token } = request.body ?? {};
  if (typeof token !== 'string') return response.status(400).json({ error: 'token is missing' });
  const { respondentId } = request;
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
  return response.status(isPerson ? 200 : 403).json({ verified: isPerson, sessionId });
});

// The service cannot be reached: nobody is let in unseen.
app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(503).json({ error: 'the check is not available' });
});

const server = app.listen(Number(port), host, (error) => {
  if (error) throw error;
  console.log(`http://${host}:${server.address().port}`);
});
