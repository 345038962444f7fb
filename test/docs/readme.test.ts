/** The README's blocks run in their order, with what the first start gives; every page of documentation is linked from docs/README.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exportLines } from '../../src/cli/shell-names.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { probeExample } from '../../src/scoring/examples.js';
import { blocksOf, prepareProject } from '../helpers/guide-blocks.js';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

t.test('every block of the README runs from a first start, and the reply shown is the real one', async (t) => {
  const { bootstrap, call } = await startTestService(t);
  const environment = Object.fromEntries(
    exportLines(bootstrap).map((line) => line.replace('export ', '').split('=') as [string, string]),
  );
  const folder = temporaryDirectory(t);
  const run = await prepareProject(folder, environment);
  const [keys, score, reply, survey, session, events, eventsReply, ...others] = blocksOf('README.md').filter(
    ({ code }) => !code.startsWith('npm ci'),
  );
  t.strictSame(others, []);
  t.equal(keys?.code, 'eval "$(npm run --silent keys)"\n');
  const scored: unknown = JSON.parse(await run(score!));
  t.match(scored, JSON.parse(reply!.code));
  await run(survey!);
  const html = readFileSync(join(folder, 'survey.html'), 'utf8');
  t.match(html, `data-project-key="${bootstrap.probeKey}" data-session-id="s-1001"`);
  t.equal((await fetch(/src="([^"]+)"/.exec(html)![1]!)).status, 200);
  t.match(JSON.parse(await run(events!)), JSON.parse(eventsReply!.code));
  // The browser of a reader sends the probe, and the same call no longer misses it.
  const body = { ...probeExample(bootstrap.probeKey), sessionId: 's-1001', seq: 0, phase: 'load' };
  t.equal((await call('POST', '/public/lite/probe', { body, headers: { origin: 'null' } })).status, 202);
  t.strictSame((JSON.parse(await run(score!)) as ScoreReply).degradedSignals, ['geo_unavailable', 'network_unavailable']);
  // The score is listed once it is recorded.
  const listed = { ...session!, code: session!.code.replace('curl ', 'curl --retry 9 --retry-all-errors ') };
  t.match(JSON.parse(await run(listed)), { sessionId: 's-1001' });
});

/** Below docs/, without those that the build writes and the records of decisions. */
const pages = readdirSync(repositoryPath('docs'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && !/^(?:api|internals\/adr)\//.test(name),
);

t.test('docs/README.md links every page', (t) => {
  const index = readRepositoryFile('docs/README.md');
  t.strictSame(
    pages.filter((name) => name !== 'README.md' && !index.includes(`(${name})`)),
    [],
  );
  t.end();
});

t.test('every table names its columns, for those who hear it read', (t) => {
  const nameless = pages.flatMap((name) => {
    const heads = readRepositoryFile(`docs/${name}`).matchAll(/^(\|.*\|)\n\|[-| :]+\|$/gm);
    return [...heads].flatMap(([, head = '']) => (/\|\s*\|/.test(head) ? [`${name}: ${head}`] : []));
  });
  t.strictSame(nameless, []);
  t.end();
});
