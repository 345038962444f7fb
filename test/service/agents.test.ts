/** The tool interface, with the official client of the Model Context Protocol against the running service. */
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { exportJWK, generateKeyPair } from 'jose';
import t from 'tap';
import { creationExample } from '../../src/audience/examples.js';
import { agentTools } from '../../src/agents/all-tools.js';
import { oauthScopes } from '../../src/contract/oauth.js';
import type { SessionReply } from '../../src/contract/session.js';
import { basic, bearerOf, makeClient } from '../helpers/oauth.js';
import { createPatch } from '../helpers/project-fields.js';
import { repositoryPath } from '../helpers/repository.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';
import { accessTokenScopes } from './access-table.js';

const service = await startTestService(t, { VH_BOOTSTRAP: 'on' });
const { siteUrl, projectId, audienceUrl } = service.bootstrap;
const address = new URL(`${siteUrl}/mcp`);
type Provider = ConstructorParameters<typeof StreamableHTTPClientTransport>[1];

async function connect(options: Provider): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(address, options));
  t.teardown(() => client.close());
  return client;
}

const call = async (client: Client, name: string, input: object = {}): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

const { clientId, clientSecret } = await makeClient(service);
const client = await connect({
  authProvider: new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: siteUrl }),
});

const session = await createSession(service);
const { verificationToken } = (await verify(service, session)).body as unknown as { verificationToken: string };
const created = await call(client, 'create_study', { ...creationExample, projectId });
const scored = await call(client, 'score_respondent', { projectId, sessionId: 'agent-1', clientIp: '203.0.113.9' });
const receiptId = String(scored.structuredContent?.['receiptId']);
const inputs: Readonly<Record<string, object>> = {
  score_respondent: { projectId, sessionId: 'agent-2', clientIp: '203.0.113.9', sourceId: 'supplier' },
  get_evidence: { projectId, receiptId },
  explain_receipt: { projectId, receiptId },
  list_projects: { limit: 5 },
  project_analytics: { projectId, period: 'day' },
  verify_token: { token: verificationToken },
  simulate_thresholds: { projectId, reviewLow: 30, blockThreshold: 60 },
  threshold_recommendations: { projectId },
  create_study: { ...creationExample, projectId },
  study_progress: { studyId: String(created.structuredContent?.['studyId']) },
};

t.test('a client that knows the address alone finds its token, and calls every tool', async (t) => {
  const { tools } = await client.listTools();
  t.same(
    tools.map(({ name }) => name),
    agentTools.map(({ name }) => name),
  );
  for (const { name, inputSchema, outputSchema, description } of tools) {
    t.equal(inputSchema.type, 'object', name);
    t.equal(outputSchema?.type, 'object', name);
    t.match(description, /Scope: /, name);
    // The client checks the structure against the schema of the output, and throws where it does not hold.
    const result = await call(client, name, inputs[name] ?? (t.fail(`no input for ${name}`) as never));
    t.notOk(result.isError, `${name}: ${textOf(result).slice(0, 200)}`);
    t.ok(textOf(result).split('\n').length <= 12, `${name} says it in a few lines`);
    t.ok(JSON.stringify(result.structuredContent).length < 8_000, `${name} is short`);
  }
  t.match(await call(client, 'verify_token', inputs['verify_token']), { structuredContent: { success: true } });
});

t.test('an agent is told of a token that score mode stops, and of one of a step-up, that it is no pass', async (t) => {
  const asking = { stepUpEnabled: true, stepUpThreshold: 0, stepUpIntensityThreshold: 100 };
  const patch = createPatch(t, service);
  await patch({ config: { liteConfig: asking }, verificationMode: 'score', scoreModeConfig: { blockAboveRisk: 0 } });
  const said = async (of: SessionReply): Promise<string> => {
    const { verificationToken: token } = (await verify(service, of)).body;
    return textOf(await call(client, 'verify_token', { token }));
  };
  t.match(await said(await createSession(service)), /ended pass, but a limit of score mode stops it: refuse it/);
  const score = { sessionId: 'agent-step-up', clientIp: '203.0.113.9' };
  const { body } = await service.call('POST', '/lite/score', { body: score });
  const { receiptId: stepUpFor } = body as { receiptId: string };
  await patch({ verificationMode: null, scoreModeConfig: null });
  const stepUp = await service.call('POST', '/sessions', { body: { stepUpFor } });
  t.match(await said(stepUp.body), `ended pass. It is of the step-up for ${stepUpFor}, and no pass of a respondent.`);
  await patch({ config: { liteConfig: null } });
});

t.test('a client with receipts:read explains what the project’s backend scored, one without does not', async (t) => {
  const body = { sessionId: 'of-the-backend', clientIp: '203.0.113.9' };
  const byBackend = await service.call('POST', '/lite/score', { body });
  const { receiptId } = byBackend.body as { receiptId: string };
  t.notOk((await call(client, 'explain_receipt', { projectId, receiptId })).isError);
  const narrow = await makeClient(service, { scopes: ['lite:read'] });
  const headers = { ...(await bearerOf(siteUrl, narrow)), 'x-project-id': projectId };
  t.equal((await service.call('GET', `/lite/score/${receiptId}/evidence`, { headers })).status, 404);
  const other = await service.call('POST', '/projects', {
    body: { name: 'Other' },
    headers: await bearerOf(siteUrl, { clientId, clientSecret }),
  });
  const elsewhere = { projectId: (other.body as { projectId: string }).projectId, receiptId };
  t.match(textOf(await call(client, 'explain_receipt', elsewhere)), /NOT_FOUND/, 'of another project');
});

t.test('what a tool creates can be used, and what is cut says so', async (t) => {
  const { studyId, entryUrl } = created.structuredContent as { readonly studyId: string; readonly entryUrl: string };
  t.equal(entryUrl, `${audienceUrl}/enter/${studyId}`, 'respondents enter where the audience API listens');
  t.match(await (await fetch(entryUrl)).text(), /<html/);
  t.match((await call(client, 'get_evidence', inputs['get_evidence'])).structuredContent, { findingsInAll: Number });
  const headers = await bearerOf(siteUrl, { clientId, clientSecret });
  for (let i = 0; i < 11; i += 1)
    t.equal((await service.call('POST', '/projects', { body: { name: `Many ${i}` }, headers })).status, 201);
  const first = await call(client, 'list_projects');
  const { projects, nextCursor } = first.structuredContent as {
    readonly projects: readonly { readonly projectId: string }[];
    readonly nextCursor: string;
  };
  t.equal(projects.length, 10, 'short where nothing is asked for');
  for (const { projectId } of projects) t.match(textOf(first), projectId);
  const cursor = /with the cursor (\S+)/.exec(textOf(first))?.[1];
  t.equal(cursor, nextCursor, 'an agent that reads the text alone gets on');
  t.match(textOf(await call(client, 'list_projects', { cursor })), projectId);
});

t.test('a client with a key of its own signs in at the same address', async (t) => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const signing = await makeClient(service, {
    scopes: ['analytics:read'],
    jwks: { keys: [await exportJWK(pair.publicKey)] },
  });
  const provider = new PrivateKeyJwtProvider({
    clientId: signing.clientId,
    privateKey: { ...(await exportJWK(pair.privateKey)) },
    algorithm: 'ES256',
    expectedIssuer: siteUrl,
  });
  const { tools } = await (await connect({ authProvider: provider })).listTools();
  t.same(
    tools.map(({ name }) => name),
    ['list_projects', 'project_analytics'],
    'it sees what it may call',
  );
});

t.test('a tool beyond the token’s scopes says which is missing, and nothing is done', async (t) => {
  const headers = await bearerOf(siteUrl, { clientId, clientSecret }, { scope: 'lite:read' });
  const narrow = await connect({ requestInit: { headers } });
  const refused = await call(narrow, 'score_respondent', inputs['score_respondent']);
  t.equal(refused.isError, true);
  t.match(textOf(refused), /INSUFFICIENT_SCOPE.*lite:score/);
});

t.test('errors say what to do', async (t) => {
  const wrong = await call(client, 'score_respondent', { projectId, sessionId: 7 });
  t.equal(wrong.isError, true);
  t.match(textOf(wrong), /\/clientIp is missing/);
  t.match(textOf(wrong), /\/sessionId must be a string/);
  const address = await call(client, 'score_respondent', { projectId, sessionId: 'x', clientIp: 'nonsense' });
  t.match(textOf(address), /VALIDATION_FAILED.*\n- \/clientIp must be one IPv4 or IPv6 address/);
  const nobodys = await call(client, 'project_analytics', { projectId: `proj_${'0'.repeat(32)}` });
  t.match(textOf(nobodys), /NOT_FOUND: The project was not found/);
  for (const id of ['', '.', '..', '../../projects?x=', '\ud800', '%2e', 'a/b']) {
    for (const [name, input] of [
      ['get_evidence', { projectId, receiptId: id }],
      ['explain_receipt', { projectId, receiptId: id }],
      ['study_progress', { studyId: id }],
    ] as const)
      t.match(textOf(await call(client, name, input)), /VALIDATION_FAILED/, `${name} ${JSON.stringify(id)}: not an id`);
  }
  await t.rejects(call(client, 'drop_tables'), /tool does not exist/);
  const bearer = await bearerOf(siteUrl, { clientId, clientSecret });
  for (const [method, params] of [
    ['tools/call', { arguments: {} }],
    ['tools/call', { name: 7 }],
    ['tools/call', { name: 'list_projects', arguments: 'all' }],
    ['tools/call', undefined],
    ['resources/read', {}],
  ] as const) {
    const answer = await post(bearer, { jsonrpc: '2.0', id: 7, method, params });
    const { id, error } = (await answer.json()) as { id: unknown; error: { code: number; message: string } };
    t.same([id, error.code], [7, -32_602], `${method} ${JSON.stringify(params)}`);
    t.match(error.message, /^params(\.\w+)* /);
    t.notMatch(error.message, /\n|\[\{/);
  }
});

t.test('the pages of the documentation are resources', async (t) => {
  const { resources } = await client.listResources();
  t.same(
    resources.map(({ name }) => name),
    ['tutorials', 'how-to', 'reference', 'explanation']
      .flatMap((folder) => readdirSync(repositoryPath(`docs/${folder}`)).map((name) => `${folder}/${name}`))
      .filter((name) => name.endsWith('.md'))
      .sort(),
  );
  for (const { uri, size = 0 } of resources) {
    const { contents } = await client.readResource({ uri });
    const [page] = contents;
    t.ok(page !== undefined && 'text' in page && page.text.startsWith('# '), uri);
    t.ok(size <= 65_536, uri);
  }
  await t.rejects(client.readResource({ uri: 'verifyhuman://docs/../package.json' }), /resource does not exist/);
});

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = async (headers: Readonly<Record<string, string>>, body: unknown = message): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

t.test('without an access token it says where one is had; keys and other tokens do not open it', async (t) => {
  const answer = await post({});
  t.equal(answer.status, 401);
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  t.match(await (await fetch(url)).json(), { resource: address.href, authorization_servers: [siteUrl] });
  t.match(await answer.json(), { jsonrpc: '2.0', error: { data: { code: 'INVALID_TOKEN' } }, id: null });
  for (const headers of [
    { 'x-api-key': service.bootstrap.organizationKey },
    { authorization: `Bearer ${service.bootstrap.organizationKey}` },
    { authorization: `Bearer ${verificationToken}` },
    basic(clientId, clientSecret),
  ])
    t.equal((await post(headers as Record<string, string>)).status, 401);
});

t.test('pages of other origins, batches, streams and large bodies are refused', async (t) => {
  const bearer = await bearerOf(siteUrl, { clientId, clientSecret });
  t.equal((await post(bearer)).status, 200);
  t.equal((await post({ ...bearer, origin: siteUrl })).status, 200, 'its own origin');
  for (const origin of ['https://evil.example', 'null', `${siteUrl}.evil.example`])
    t.equal((await post({ ...bearer, origin })).status, 403, origin);
  t.equal((await post(bearer, [message, message])).status, 400);
  t.equal((await post(bearer, '{')).status, 400);
  t.equal((await post(bearer, { ...message, params: { x: 'x'.repeat(70_000) } })).status, 413);
  t.equal((await post({ ...bearer, 'content-type': 'text/plain' })).status, 415);
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(address, { method, headers: bearer });
    t.same([answer.status, answer.headers.get('allow')], [405, 'POST']);
  }
});

t.test('a tool asks for the scopes of its operation, and docs/reference/agents.md names them', async (t) => {
  const page = readFileSync(repositoryPath('docs/reference/agents.md'), 'utf8');
  const operations: Readonly<Record<string, string>> = {
    score_respondent: 'scoreSession',
    get_evidence: 'readEvidence',
    explain_receipt: 'readEvidence',
    list_projects: 'listProjects',
    project_analytics: 'readAnalytics',
    verify_token: 'verifyToken',
    simulate_thresholds: 'simulateThresholds',
    threshold_recommendations: 'recommendThresholds',
    create_study: '',
    study_progress: '',
  };
  for (const { name, title, scopes } of agentTools) {
    // Studies stand in the document of the audience API.
    t.same(scopes, accessTokenScopes[operations[name] ?? ''] ?? ['audience:write'], name);
    const row = `| \`${name}\` | ${title} | ${scopes.map((scope) => `\`${scope}\``).join(' or ')} |`;
    t.ok(page.includes(row), row);
  }
  for (const [scope, { meaning }] of Object.entries(oauthScopes))
    t.ok(page.includes(`| \`${scope}\` | ${meaning} |`), scope);
});
