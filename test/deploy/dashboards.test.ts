import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { boards } from '../../scripts/dashboards/index.js';
import { renderBoard, type Panel } from '../../scripts/dashboards/panel.js';
import { packageRoot } from '../../src/package-root.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { hasPrometheus, startPrometheus } from '../helpers/prometheus.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const panels: readonly Panel[] = boards.flatMap(({ rows }) => Object.values(rows).flat());
const queries = panels.flatMap(({ title, series }) => series.map(({ query }) => ({ title, query })));

t.test('panels ask for metrics that there are, and say what they show', async (t) => {
  const known = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  for (const { title, query } of queries)
    for (const name of query.match(/\b(?:vh|process|nodejs)_[a-z0-9_]+/g) ?? [])
      t.ok(known.includes(name) || known.includes(name.replace(/_(?:count|bucket|sum)$/, '')), `${title}: ${name}`);
  t.equal(new Set(panels.map(({ title }) => title)).size, panels.length, 'no title twice');
  t.ok(panels.every(({ about }) => about.endsWith('.')));
});

t.test('every board links to the runbook, at the address of the documentation', async (t) => {
  const prometheus = readFileSync(join(packageRoot, 'deploy', 'prometheus.yml'), 'utf8');
  for (const board of boards) {
    const { links, templating } = renderBoard(board) as {
      readonly links: readonly { readonly title: string; readonly url?: string }[];
      readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
    };
    const url = links.find(({ title }) => title === 'Runbook')?.url ?? '';
    const page = url.replace(/^\$\{docs\}\/(.+)\.html$/, 'docs/$1.md');
    t.ok(existsSync(join(packageRoot, page)), `${board.name}: ${url}`);
    const docs = String(templating.list.find(({ name }) => name === 'docs')?.query);
    t.ok(prometheus.includes(`verifyhuman_docs: ${docs} `), 'the alerts link there, too');
  }
});

t.test('a panel is red from where its alert fires on', async (t) => {
  const alerts = readFileSync(join(packageRoot, 'deploy', 'alerts.yml'), 'utf8');
  let found = 0;
  for (const [, metric = '', from = ''] of alerts.matchAll(/\b(vh_\w+)(?:\{[^}]*\})?\)? > (\d+(?:\.\d+)?)/g))
    for (const { title, red, unit, series } of panels)
      if ((unit === 'percentunit') === from.includes('.') && series.some(({ query }) => query.includes(`${metric}{`))) {
        found += 1;
        t.ok(
          red !== undefined && (red === Number(from) || (from === '0' && red === 1)),
          `${title}: ${metric} > ${from}`,
        );
      }
  t.ok(found > 8, `${String(found)} panels`);
});

t.test('the panel of a metric that must not run low is red below its alert', async (t) => {
  const alerts = readFileSync(join(packageRoot, 'deploy', 'alerts.yml'), 'utf8');
  const low = [...alerts.matchAll(/expr: (vh_\w+) < (\d+)\n/g)];
  t.ok(low.length > 0);
  for (const [, metric = '', below] of low) {
    const panel = panels.find(({ series }) => series.some(({ query }) => query.includes(`${metric}{`)));
    t.equal(panel?.redBelow, Number(below), metric);
    const rendered = JSON.stringify(renderBoard({ name: 'low', title: 'low', rows: { low: panel ? [panel] : [] } }));
    t.match(rendered, `[{"color":"red","value":null},{"color":"green","value":${String(below)}}]`);
  }
});

t.test('no two panels of a board lie on each other', async (t) => {
  for (const board of boards) {
    const { panels: placed } = renderBoard(board) as {
      readonly panels: readonly { readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>> }[];
    };
    const cells = placed.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${String(x + (index % w))},${String(y + Math.floor(index / w))}`),
    );
    t.equal(new Set(cells).size, cells.length, board.name);
  }
});

t.test('every query finds series in a Prometheus that scrapes a service', async (t) => {
  if (!hasPrometheus()) {
    const absence = 'The queries were not tried: prometheus is missing (Debian package prometheus).';
    if (process.env['VH_REQUIRE_STACK'] === '1') t.fail(absence);
    else t.comment(absence);
    return;
  }
  const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
  const { url } = await startReceiver(t);
  const webhooks = `/projects/${service.bootstrap.projectId}/webhooks`;
  const { status, body } = await service.call('POST', webhooks, { body: { url } });
  t.equal(status, 201, JSON.stringify(body));
  const test = `${webhooks}/${String(body['webhookId'])}/test`;
  const prometheus = await startPrometheus(t, service.bootstrap.adminUrl);
  const filled = queries.map(({ title, query }) => ({
    title,
    query: query.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '5s'),
  }));
  const refused = filled.find(({ title }) => title === 'Calls refused or failed a second')?.query ?? '';
  filled.push({
    title: 'calls with a wrong key',
    query: `(${refused}) * on(status) group_left label_replace(vector(1), "status", "401", "", "")`,
  });
  let open = filled;
  let round = 0;
  await waitUntil(
    async () => {
      await score(service, round++);
      await service.call('POST', test);
      await service.call('GET', '/lite/sources', { headers: { 'x-api-key': 'vf_live_wrong' } });
      const found = await Promise.all(open.map(({ query }) => prometheus.seriesOf(query)));
      open = open.filter((_, index) => found[index] === 0);
      return open.length === 0;
    },
    'each query finds series',
    60_000,
  ).catch(() => t.same(open, [], 'queries that find nothing'));
});

/** Calls that begin a series each: a score of a source, a verification, a simulation. */
async function score(service: TestService, round: number): Promise<void> {
  const body = { sessionId: `s${String(round)}`, clientIp: '203.0.113.24', sourceId: 'panel' };
  await service.call('POST', '/lite/score', { body });
  await service.call('POST', '/lite/simulate', { body: { reviewLow: 40, blockThreshold: 75 } });
  await verify(service, await createSession(service));
}
