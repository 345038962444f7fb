/**
 * The service of the bench of files: scores sessions of its own, one at a time, and sends the files of the project that V8 saw run between each
 * request and its reply.
 */
import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scoreBodies } from './score-bodies.js';
import { startTemporaryService } from './temporary-service.js';

/** Files that ran, for each measured score. */
export type FilesOfScores = readonly (readonly string[])[];

const warmScores = 20;
const measuredScores = 9;
/** Work that the probe and the score before it left behind ends within this time. */
const quietMs = 100;
/** Runs whenever work of the background repeats, and in no score of itself. */
const backgroundFile = 'src/stores/rounds.ts';
/**
 * Reading coverage holds a busy machine for so long that a round of the background is due as soon as the score begins, and the same again in the
 * next: further scores are measured then, each after a longer pause, until one has met no round.
 */
const furtherScores = 20;
const longerMs = 70;

const compiled = fileURLToPath(new URL('..', import.meta.url));
const inspector = new Session();

function filesRunSinceLastCall(): readonly string[] {
  let files: string[] = [];
  // In the same thread the inspector calls back before it returns.
  inspector.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error;
    files = coverage.result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .map(({ url }) => (url.startsWith('file:') ? relative(compiled, fileURLToPath(url)) : ''))
      .filter((path) => /^(?:src|workers)\//.test(path));
  });
  return files.map((path) => path.replace(/\.js$/, '.ts')).sort();
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
  await reply.arrayBuffer();
}

const { baseUrl, projectKey = '', probeKey = '' } = await startTemporaryService();
inspector.connect();
inspector.post('Profiler.enable');
inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const scores: (readonly string[])[] = [];
const planned = warmScores + measuredScores;
const isDisturbed = (): boolean => scores.every((files) => files.includes(backgroundFile));
for (let n = 0; n < planned || (n < planned + furtherScores && isDisturbed()); n += 1) {
  await post(`${baseUrl}/public/lite/probe`, scoreBodies.probe(n, probeKey), {});
  await new Promise((resolve) => setTimeout(resolve, quietMs + longerMs * Math.max(0, n - planned + 1)));
  filesRunSinceLastCall();
  await post(`${baseUrl}/lite/score`, scoreBodies.score(n), { 'x-api-key': projectKey });
  if (n >= warmScores) scores.push(filesRunSinceLastCall());
}
process.send?.(scores satisfies FilesOfScores);
