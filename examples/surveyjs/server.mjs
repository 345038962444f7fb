/**
 * A backend for SurveyJS: it names the session, takes the answers, and scores the session before it accepts them. The page learns only
 * whether the interview counts. Usage: API=https://verify.example/api/v1 PROJECT_KEY=vf_... node server.mjs [folder of the page]
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express from 'express';

const { API: api, PROJECT_KEY: projectKey, HOST: host = '127.0.0.1', PORT: port = '8080' } = process.env;
if (api === undefined || projectKey === undefined) throw new Error('Set API and PROJECT_KEY.');
const folder = process.argv[2] ?? import.meta.dirname;
const { resolve } = createRequire(import.meta.url);

/** Interviews under way, each with its respondent's address. Your database replaces this. */
const interviews = new Map();

const app = express();
app.use(express.json({ limit: '256kb' }));
for (const name of ['survey-core', 'survey-js-ui']) app.use(`/${name}`, express.static(dirname(resolve(name))));

app.get('/', async (request, response) => {
  const sessionId = randomUUID();
  interviews.set(sessionId, { clientIp: request.ip, userAgent: request.get('user-agent') });
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  response.set('cache-control', 'no-store').type('html').send(page.replace('SESSION_ID', sessionId));
});
app.get('/survey.js', (_request, response) => response.sendFile(join(folder, 'survey.js')));

app.post('/answers', async (request, response) => {
  const { sessionId, answers } = request.body ?? {};
  const interview = interviews.get(sessionId);
  if (interview === undefined) return response.status(409).json({ error: 'no such interview' });
  const answer = await fetch(`${api}/lite/score`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, ...interview, studyId: 'study-7' }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { score, recommendation, duplicate, receiptId } = await answer.json();
  const isRepeat = duplicate.measured && ['likely', 'confirmed'].includes(duplicate.band);
  const verdict = isRepeat && score >= 50 ? 'block' : recommendation;
  interviews.delete(sessionId);
  console.log(JSON.stringify({ sessionId, answers, verdict, score, receiptId }));
  return response.json({ accepted: verdict !== 'block' });
});

// The answers stay with the respondent, who can send them again.
app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(503).json({ error: 'the answers were not saved' });
});

const server = app.listen(Number(port), host, (error) => {
  if (error) throw error;
  console.log(`http://${host}:${server.address().port}`);
});
