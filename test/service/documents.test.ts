import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import t from 'tap';
import { recordReplies } from '../../scripts/replies.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { repliesPath, type RecordedReplies } from '../../src/http/openapi.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { scoreExample } from '../../src/scoring/examples.js';
import { makeClient } from '../helpers/oauth.js';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';
import { startTestService } from '../helpers/service.js';
import { prepareCall } from '../helpers/verifications.js';

const securityContact = 'mailto:security@example.com';
const service = await startTestService(t, { VH_SECURITY_CONTACT: securityContact });
const { bootstrap } = service;

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema?: { readonly examples?: readonly unknown[] };
          readonly example?: unknown;
          readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
        }
      >
    >;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}
type Document = {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly components: { readonly responses: Readonly<Record<string, unknown>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const document: Document = (await service.call('GET', '/openapi.json', { headers: {} })).body;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

t.test('the replies that the document shows are those that a service gives', async (t) => {
  const recorded = JSON.parse(readRepositoryFile(repliesPath)) as RecordedReplies;
  t.same(recorded, await recordReplies(bootstrap), '`npm run replies` records them');
  t.same(Object.keys(recorded.score), ['allow', 'review', 'block', 'duplicate']);
  const shown = (reply: unknown) =>
    (reply as { content: Readonly<Record<string, { examples?: Readonly<Record<string, { value: unknown }>> }>> })
      .content['application/json']?.examples ?? {};
  const { responses } = document.paths['/lite/score']!['post'] as Operation;
  const tried = (await service.call('POST', '/lite/score', { body: scoreExample })).body as ScoreReply;
  const notes = tried.evidence.notes.map(({ code }) => code);
  for (const fault of ['address_not_public', 'identity_not_hashed', 'unknown_fields', 'respondent_stats_unused'])
    t.notOk(notes.includes(fault), `the request shown gives no cause for ${fault}`);
  for (const [name, body] of Object.entries(recorded.score)) t.same(shown(responses['200'])[name]?.value, body, name);
  for (const [status, bodies] of Object.entries(recorded.errors)) {
    const { $ref = '' } = responses[status] as { readonly $ref?: string };
    const once = document.components.responses[$ref.replace('#/components/responses/', '')];
    for (const [code, body] of Object.entries(bodies)) t.same(shown(once)[code]?.value, body, `${status} ${code}`);
  }
});

t.test('the guides come first, are served, and lead to nothing that is not', async (t) => {
  const { description } = document.info;
  const links = [...description.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  const listed = links.map((link) => link.replace('/docs/', '').replace(/html$/, 'md'));
  for (const page of listed) t.ok(existsSync(repositoryPath(`docs/${page}`)), page);
  t.equal(listed[0], 'tutorials/first-score.md');
  const seen = new Set<string>();
  for (const queue = links.map((link) => new URL(link, bootstrap.siteUrl).href); queue.length > 0;) {
    const url = queue.shift() ?? '';
    if (seen.has(url)) continue;
    seen.add(url);
    const answer = await fetch(url);
    t.equal(answer.status, 200, url);
    t.notMatch(answer.headers.get('content-security-policy'), /upgrade-insecure-requests|script-src[^;]*unsafe/);
    for (const [, target = ''] of (await answer.text()).matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const { origin, href, hash } = new URL(target, url);
      if (origin === new URL(bootstrap.siteUrl).origin) queue.push(href.replace(hash, ''));
    }
  }
  t.ok(seen.size > 40, 'all other pages');
  t.notOk(
    [...seen].some((url) => /adr|redis-keys/.test(url)),
    'what documents internals is not served',
  );
  for (const path of [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/x.html',
    '/docs/internals/redis-keys.html',
  ])
    t.equal((await fetch(bootstrap.siteUrl + path)).status, 404, path);
});

/** Fills in the names in a path of the document, in the demo organization. Keys are made for the call, so that none that is needed dies. */
async function fillIn(path: string): Promise<string> {
  let filled = path
    .replace('{projectId}', bootstrap.projectId)
    .replace('{siteKey}', bootstrap.siteKey)
    .replace('{orgId}', bootstrap.organizationId);
  if (path.includes('{keyId}')) {
    const collection = filled.replace(/\/\{keyId\}.*$/, '');
    const { keyId } = (await service.call('POST', collection, { body: {}, headers: await ownerHeaders() })).body as {
      keyId: string;
    };
    filled = filled.replace('{keyId}', keyId);
  }
  if (path.includes('{webhookId}')) {
    const webhooks = `/projects/${bootstrap.projectId}/webhooks`;
    const body = { url: 'https://hooks.example.com/documented' };
    const { webhookId } = (await service.call('POST', webhooks, { body })).body as { webhookId: string };
    const { deliveryId } = (await service.call('POST', `${webhooks}/${webhookId}/test`)).body as { deliveryId: string };
    filled = filled.replace('{webhookId}', webhookId).replace('{deliveryId}', deliveryId);
  }
  if (filled === '/lite/sessions/{sessionId}') {
    await service.call('POST', '/lite/score', { body: { sessionId: 'documented', clientIp: '203.0.113.7' } });
    filled = filled.replace('{sessionId}', 'documented');
  }
  if (path.includes('{linkId}')) {
    const { linkId } = (await service.call('POST', `/projects/${bootstrap.projectId}/links`, { body: {} })).body as {
      linkId: string;
    };
    filled = filled.replace('{linkId}', linkId);
  }
  if (path.includes('{receiptId}')) {
    const { receiptId } = (
      await service.call('POST', '/lite/score', { body: { sessionId: 'documented', clientIp: '203.0.113.7' } })
    ).body as { receiptId: string };
    filled = filled.replace('{receiptId}', receiptId);
  }
  if (path.includes('{clientId}')) {
    const { clientId } = await makeClient(service);
    filled = filled.replace('{clientId}', clientId);
  }
  return path === '/origin-check' ? `${filled}?siteKey=${bootstrap.siteKey}` : filled;
}

const ownerHeaders = async (): Promise<Record<string, string>> => {
  const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
    organizationId: bootstrap.organizationId,
    role: 'owner',
    lifetimeSeconds: 60,
  });
  return { authorization: `Bearer ${token}` };
};

async function credential(operation: Operation): Promise<Record<string, string>> {
  const names = (operation.security ?? []).flatMap((entry) => Object.keys(entry));
  // A project key means its project; who holds the others names one, which no example can.
  if (names.includes('apiKey')) return { 'x-api-key': bootstrap.projectKey };
  if (names.includes('dashboard')) return ownerHeaders();
  return names.includes('organizationKey') ? { 'x-api-key': bootstrap.organizationKey } : {};
}

t.test('the document is OpenAPI 3.1 and lists every operation with id, summary and error replies', (t) => {
  t.match(document.openapi, /^3\.1/);
  t.ok(operations.length >= 5);
  for (const { operation } of operations) {
    t.ok(operation.operationId !== undefined && operation.summary !== undefined, operation.operationId);
    t.ok('500' in operation.responses || '503' in operation.responses, operation.operationId);
  }
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
  t.end();
});

t.test('every operation’s example works against the demo organization', async (t) => {
  for (const { path, method, operation } of operations) {
    const media = operation.requestBody?.content['application/json'];
    const example = media?.example ?? media?.schema?.examples?.[0] ?? Object.values(media?.examples ?? {})[0]?.value;
    if (operation.requestBody !== undefined) t.ok(example !== undefined, `${operation.operationId} has an example`);
    const call = await prepareCall(service, operation.operationId, { path: await fillIn(path), body: example });
    const answer = await service.call(method.toUpperCase(), call.path, {
      ...(call.body === undefined ? {} : { body: call.body }),
      headers: { ...call.headers, ...(await credential(operation)) },
    });
    // The one that no example can make work: its code is good once, and comes with a result.
    t.ok(
      operation.operationId === 'followRedirect' ? answer.status === 404 : answer.status >= 200 && answer.status < 300,
      `${operation.operationId}: ${answer.status} ${JSON.stringify(answer.body)}`,
    );
    t.ok(String(answer.status) in operation.responses, `${operation.operationId} documents ${answer.status}`);
  }
});

t.test('the documentation page and the probe bundle are served', async (t) => {
  const docs = await fetch(`${bootstrap.baseUrl}/docs/`);
  t.equal(docs.status, 200);
  t.match(docs.headers.get('content-type'), /html/);
  t.match(await docs.text(), /<title>Scoring \| VerifyHuman<\/title>/);
  const bundle = await fetch(`${bootstrap.siteUrl}/sdk/lite/v1/vh-lite.iife.js`);
  t.equal(bundle.status, 200);
  t.equal(bundle.headers.get('access-control-allow-origin'), '*');
  t.ok((await bundle.arrayBuffer()).byteLength <= 15_000);
});

t.test('the bundles are sent compressed as the browser takes them, and are the ones that were hashed', async (t) => {
  const manifest = (await (await fetch(`${bootstrap.siteUrl}/sdk/v1/integrity.json`)).json()) as Readonly<
    Record<string, { readonly integrity: string }>
  >;
  for (const [name, { integrity }] of Object.entries(manifest))
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await fetch(`${bootstrap.siteUrl}/sdk/v1/${name}`, { headers: { 'accept-encoding': accepted } });
      t.equal(answer.headers.get('content-encoding'), sent, `${name} for ${accepted}`);
      t.match(answer.headers.get('content-type'), /javascript/);
      t.match(answer.headers.get('vary'), /accept-encoding/i);
      if (sent !== null)
        t.ok(Number(answer.headers.get('content-length')) <= 44_000, 'within the size that is promised');
      const bytes = Buffer.from(await answer.arrayBuffer());
      t.equal(`sha384-${createHash('sha384').update(bytes).digest('base64')}`, integrity);
    }
});

t.test('security.txt names the contact of the operator and ends within a year', async (t) => {
  const address = `${bootstrap.siteUrl}/.well-known/security.txt`;
  const answer = await fetch(address);
  t.match(answer.headers.get('content-type'), /^text\/plain; charset=utf-8/i);
  const lines = (await answer.text()).trim().split('\n');
  t.match(lines, [`Contact: ${securityContact}`, /^Expires: /, `Canonical: ${address}`]);
  const leftDays = (Date.parse(lines[1]?.slice(9) ?? '') - Date.now()) / 86_400_000;
  t.ok(leftDays > 90 && leftDays < 365);
});

t.test('the admin port tells health, readiness and metrics; the API port does not', async (t) => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    t.equal((await fetch(bootstrap.adminUrl + path)).status, 200, path);
    t.equal((await fetch(bootstrap.siteUrl + path)).status, 404, path);
  }
  const metrics = await (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
  for (const name of [
    'vh_score_stage_seconds_bucket',
    'vh_pool_queue',
    'vh_store_up{store="database"} 1',
    'vh_scores_total',
    'vh_scores_total{recommendation="block"} 0',
    'vh_degraded_signals_total{signal="counters_unavailable"} 0',
    'vh_rate_limited_total{key="none"} 0',
    'vh_build_info{version="',
    'vh_database_seconds_count{',
    'vh_change_feed_age_seconds ',
    'vh_backlog{kind="outcomes"}',
    'vh_backlog_oldest_seconds{kind="history"}',
  ])
    t.ok(metrics.includes(name), name);
});

t.test('the documentation page works by any name and over plain http', async (t) => {
  const page = await fetch(`${service.bootstrap.baseUrl}/docs/`);
  t.equal(page.status, 200);
  t.notMatch(page.headers.get('content-security-policy'), /upgrade-insecure-requests/);
  t.match(page.headers.get('content-security-policy'), /script-src 'self' 'sha256-/);
  const document = (await (await fetch(`${service.bootstrap.baseUrl}/openapi.json`)).json()) as { servers: object };
  t.same(document.servers, [{ url: '/api/v1' }], 'relative to where the document was read');
});
