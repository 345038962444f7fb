/**
 * The API document as its readers use it: shapes that stand once, and a generated client that scores. `.ci/api-lint` has two linters read it.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { eventTypes } from '../../src/contract/session-event.js';
import { tagDescriptions } from '../../src/contract/tags.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { packageRoot } from '../../src/package-root.js';
import { signedHeaders } from '../../src/webhooks/signing.js';
import { startTestService } from '../helpers/service.js';

const run = promisify(execFile);
const tool = (name: string): string => join(packageRoot, 'node_modules', '.bin', name);

/** Below the root, so that what is generated finds the modules. */
const work = temporaryDirectory(t, join(packageRoot, 'dist'));

const service = await startTestService(t);
const text = JSON.stringify((await service.call('GET', '/openapi.json', { headers: {} })).body);
const document = JSON.parse(text) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags?: readonly string[] }>>>>;
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly parameters: readonly { readonly name: string }[];
          readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: object } } };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const path = join(work, 'openapi.json');
writeFileSync(path, text);

/** Characters of a structure from which a second copy is worth a name. */
const longMin = 300;
/** Most that an operation may take with its share of the shapes; spelt out in place they took 12,000. */
const charactersPerOperation = 4_100;

t.test('shapes stand once: what is long enough to want a name has one in src/contract/shapes.ts', async (t) => {
  t.ok(Object.keys(document.components.schemas).length > 40);
  for (const name of Object.keys(document.components.schemas)) {
    t.ok(text.includes(`"#/components/schemas/${name}"`), `${name} is used`);
  }
  const seen = new Map<string, string>();
  (function look(value: unknown, at: string): void {
    if (typeof value !== 'object' || value === null) return;
    const { type, properties } = value as { readonly type?: unknown; readonly properties?: unknown };
    const structure = JSON.stringify([type, properties]);
    const hasName = /^\/components\/schemas\/\w+$/.test(at);
    if (properties !== undefined && structure.length > longMin && !hasName) {
      t.equal(seen.get(structure), undefined, `${at} repeats another place`);
      seen.set(structure, at);
    }
    for (const [key, member] of Object.entries(value)) look(member, `${at}/${key}`);
  })(document, '');
  const operations = text.split('"operationId"').length - 1;
  t.ok(text.length < operations * charactersPerOperation, `${operations} operations in ${text.length} characters`);
});

t.test('every event that a webhook can have is described, with its headers and its body', (t) => {
  t.same(Object.keys(document.webhooks).sort(), [...eventTypes].sort());
  for (const [event, { post }] of Object.entries(document.webhooks)) {
    t.match(post.requestBody.content['application/json'].schema, { properties: { data: { $ref: /Payload$/ } } }, event);
    t.same(post.parameters.map(({ name }) => name.toLowerCase()).sort(), deliveryHeaders, event);
  }
  t.end();
});

t.test('every tag of an operation is described', async (t) => {
  const used = new Set(
    Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags)),
  );
  for (const tag of used) t.ok(tag in tagDescriptions, `${tag} stands in src/contract/tags.ts`);
});

t.test('a generated TypeScript client type-checks and scores a session', async (t) => {
  await run(tool('openapi-typescript'), [path, '--output', join(work, 'api.d.ts')], { cwd: packageRoot });
  writeFileSync(join(work, 'score.mts'), scoreWithClient);
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }');
  await run(join(packageRoot, 'node_modules/typescript/bin/tsc'), [...compilerOptions, join(work, 'score.mts')], { cwd: work }).catch(
    (error: { stdout: string }) => t.fail(error.stdout),
  );
  const { stdout } = await run(process.execPath, [join(work, 'score.mjs')], {
    env: { ...process.env, API_URL: service.bootstrap.baseUrl, API_KEY: service.bootstrap.projectKey },
  });
  const { score, receiptId, refusal } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  t.type(score, 'number');
  t.match(receiptId, /^rcpt_/);
  t.equal(refusal, 'VALIDATION_FAILED', 'errors are typed as well');
});

/** Those of our own; webhook-… are additional. */
const delivery = { event: 'verification.completed', sessionId: 's', messageId: 'm', attempt: 1, body: '{}' } as const;
const deliveryHeaders = Object.keys(signedHeaders(delivery, { current: 'aa', previous: null }, 0))
  .filter((name) => name.startsWith('x-service-'))
  .sort();

const compilerOptions = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck'];

/** An integrator's code with the client. */
const scoreWithClient = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const client = createClient<paths>({
  baseUrl: process.env['API_URL'] ?? '',
  headers: { 'X-API-Key': process.env['API_KEY'] ?? '' },
});
const { data } = await client.POST('/lite/score', { body: { sessionId: 'generated-1', clientIp: '203.0.113.24' } });
if (data === undefined) throw new Error('no reply');
const reply: components['schemas']['ScoreReply'] = data;
const { error } = await client.POST('/lite/score', { body: { sessionId: '', clientIp: '203.0.113.24' } });
if (error === undefined) throw new Error('no refusal');
const refusal: components['schemas']['Error'] = error;
console.log(JSON.stringify({ score: reply.score, receiptId: reply.receiptId, refusal: refusal.code }));
`;
