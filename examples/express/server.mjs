/**
 * A backend that trusts nobody's page: it takes the token from the browser and asks the service what it is worth. The project key stays
 * here. Usage: API=https://verify.example/api/v1 PROJECT_KEY=vf_... node server.mjs [folder to serve]
 */
import express from 'express';

const { API: api, PROJECT_KEY: projectKey, HOST: host = '127.0.0.1', PORT: port = '8080' } = process.env;
if (api === undefined || projectKey === undefined) throw new Error('Set API and PROJECT_KEY.');

const app = express();
app.use(express.json({ limit: '16kb' }));
app.use(express.static(process.argv[2] ?? 'public'));

app.post('/verify', async (request, response) => {
  const { token } = request.body ?? {};
  if (typeof token !== 'string') return response.status(400).json({ error: 'token is missing' });
  const answer = await fetch(`${api}/token/verify`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(10_000),
  });
  const verified = await answer.json();
  const isPerson = answer.ok && verified.success && verified.status === 'pass';
  return response.status(isPerson ? 200 : 403).json({ verified: isPerson, sessionId: verified.sessionId ?? null });
});

// The service cannot be reached: nobody is let in unseen.
app.use((error, _request, response, _next) => response.status(503).json({ error: error.message }));

const server = app.listen(Number(port), host, () => console.log(`http://${host}:${server.address().port}`));
