import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { repositoryPath } from '../helpers/repository.js';

const rules = repositoryPath('deploy/alerts.yml');
const run = promisify(execFile);
const hasPromtool = await run('promtool', ['--version']).then(
  () => true,
  () => false,
);

t.test('the rules fire on what they are for and are silent when all is well', async (t) => {
  if (!hasPromtool) {
    const absence = 'The rules were not tried: promtool is missing (Debian package prometheus).';
    if (process.env['VH_REQUIRE_STACK'] === '1') t.fail(absence);
    else t.comment(absence);
    return;
  }
  t.match((await run('promtool', ['check', 'rules', rules])).stdout, /19 rules found/);
  const cases = repositoryPath('test/deploy/alerts.test.yml');
  t.match(await run('promtool', ['test', 'rules', cases]).catch((error: unknown) => error), {
    stdout: /SUCCESS/,
  });
});

t.test('the rules ask for metrics that there are, and each has its case', async (t) => {
  const text = await readFile(rules, 'utf8');
  const cases = await readFile(repositoryPath('test/deploy/alerts.test.yml'), 'utf8');
  const known = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  const asked = [...new Set(text.match(/\bvh_[a-z_]+/g))].map((name) => name.replace(/_(?:count|bucket|sum)$/, ''));
  t.ok(asked.length >= 9);
  t.same(
    asked.filter((name) => !known.includes(name)),
    [],
  );
  const service = await startTestService(t);
  const missing = async (): Promise<readonly string[]> => {
    const shown = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
    return asked.filter((name) => !new RegExp(`^${name}(?:\\{|_count| )`, 'm').test(shown));
  };
  // The latency of a route begins with its first call.
  await service.call('POST', '/lite/score', { body: { sessionId: 's', clientIp: '203.0.113.24' } });
  await waitUntil(async () => (await missing()).length === 0, `each has its series: ${(await missing()).join(', ')}`);
  const metrics = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
  for (const what of ['receipts', 'outcomes', 'verification sessions', 'audit entries'])
    t.match(metrics, `vh_retention_waits{what="${what}"} 0\n`);
  for (const group of ['receipts', 'history', 'webhooks', 'analytics'])
    for (const name of ['vh_dead_letters_total', 'vh_log_lost_entries_total', 'vh_log_lag_entries'])
      t.match(metrics, `${name}{group="${group}"} 0\n`);
  for (const [, name = ''] of text.matchAll(/- alert: (\w+)/g))
    t.ok(cases.split(`alertname: ${name}`).length > 2, `${name} fires in one case and is silent in another`);
});

t.test(
  'each rule links to its section of the runbook, which says what to do, and each section has its rule',
  async (t) => {
    const text = await readFile(rules, 'utf8');
    const [, ...sections] = (await readFile(repositoryPath('docs/how-to/answer-alerts.md'), 'utf8')).split(/^## /m);
    const actions = new Map(
      sections.map((section) => [section.split('\n', 1)[0], section.split('\n').slice(1).join('\n')]),
    );
    const [, ...alerts] = text.split('- alert: ');
    t.same([...actions.keys()].sort(), alerts.map((rule) => /^\w+/.exec(rule)?.[0]).sort());
    for (const rule of alerts) {
      const [name = ''] = /^\w+/.exec(rule) ?? [];
      // The site makes anchors of headings in lower case.
      t.match(
        rule,
        `verifyhuman_docs }}/how-to/answer-alerts.html#${name.toLowerCase()}'`,
        `${name} links to its section`,
      );
      t.match(actions.get(name), /^(?:1\. |Ask )/m, `${name}: its section says what to do`);
    }
  },
);

t.test('each search of the runbook finds lines that the service logs', async (t) => {
  const runbook = await readFile(repositoryPath('docs/how-to/answer-alerts.md'), 'utf8');
  const files = await readdir(repositoryPath('src'), { recursive: true });
  const sources = await Promise.all(
    files.filter((file) => file.endsWith('.ts')).map((file) => readFile(repositoryPath(`src/${file}`), 'utf8')),
  );
  const code = sources.join('\n');
  const searches = [...runbook.matchAll(/^grep (?:-E )?'([^']+)' process\.log/gm)].flatMap(([, words = '']) =>
    words.includes('"level"') ? [] : words.split('|'),
  );
  t.ok(searches.length >= 3);
  for (const words of searches) t.ok(new RegExp(words).test(code), words);
});
