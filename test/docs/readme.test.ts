/** The README's blocks run in their order, with what the first start gives; every page of documentation is linked from docs/README.md. */
import { readdirSync } from 'node:fs';
import t from 'tap';
import { exportLines } from '../../src/cli/shell-names.js';
import { blocksOf, prepareProject } from '../helpers/guide-blocks.js';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

t.test('every block of the README runs from a first start, and the reply shown is the real one', async (t) => {
  const { bootstrap } = await startTestService(t);
  const environment = Object.fromEntries(
    exportLines(bootstrap).map((line) => line.replace('export ', '').split('=') as [string, string]),
  );
  const run = await prepareProject(temporaryDirectory(t), environment);
  const [keys, score, reply, tag, session, events, ...others] = blocksOf('README.md').filter(
    ({ code }) => !code.startsWith('npm ci'),
  );
  t.strictSame(others, []);
  t.equal(keys?.code, 'eval "$(npm run --silent keys)"\n');
  const scored: unknown = JSON.parse(await run(score!));
  t.match(scored, JSON.parse(reply!.code));
  t.match(tag!.code, /data-project-key="pk_\.\.\."\s+data-session-id="s-1001"/);
  t.equal((await fetch(`${bootstrap.siteUrl}${/verify\.example([^"]+)/.exec(tag!.code)![1]}`)).status, 200);
  t.match(JSON.parse(await run(events!)), { accepted: 1, unmatched: 0 });
  // The score is listed once it is recorded.
  const listed = { ...session!, code: session!.code.replace('curl ', 'curl --retry 9 --retry-all-errors ') };
  t.match(JSON.parse(await run(listed)), { sessionId: 's-1001' });
});

t.test('docs/README.md links every page', (t) => {
  const index = readRepositoryFile('docs/README.md');
  const pages = readdirSync(repositoryPath('docs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(?:api|internals\/adr)\//.test(name),
  );
  t.strictSame(
    pages.filter((name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`(${name})`)),
    [],
  );
  t.end();
});

t.test('every table names its columns, for those who hear it read', (t) => {
  const pages = readdirSync(repositoryPath('docs'), { recursive: true, encoding: 'utf8' });
  const nameless = pages
    .filter((name) => name.endsWith('.md') && !/^(?:api|internals\/adr)\//.test(name))
    .flatMap((name) => {
      const heads = readRepositoryFile(`docs/${name}`).matchAll(/^(\|.*\|)\n\|[-| :]+\|$/gm);
      return [...heads].flatMap(([, head = '']) => (/\|\s*\|/.test(head) ? [`${name}: ${head}`] : []));
    });
  t.strictSame(nameless, []);
  t.end();
});
