import t from 'tap';
import { startOrganizations } from '../helpers/organizations.js';
import { prepareCall } from '../helpers/verifications.js';
import { oauthScopeNames, type OAuthScope } from '../../src/contract/oauth.js';
import { bearerOf, makeClient } from '../helpers/oauth.js';
import { accessTokenScopes, credentialKinds, readAccessTable } from './access-table.js';

interface Parameter {
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
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
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const { service, credentials } = await startOrganizations(t);
const { bootstrap } = service;
const document: Document = (await service.call('GET', '/openapi.json', { headers: {} })).body;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const table = readAccessTable();

let made = 0;
let sharedWebhook: string | null = null;

/** One webhook serves all calls but those that use it up: a project has a limited number. */
async function makeWebhook(operationId: string): Promise<string> {
  if (sharedWebhook !== null && operationId !== 'deleteWebhook') return sharedWebhook;
  const webhook = await service.call('POST', `/projects/${bootstrap.projectId}/webhooks`, {
    body: { url: 'https://hooks.example.com/matrix' },
    headers: credentials.owner,
  });
  const { webhookId } = webhook.body as { webhookId: string };
  if (operationId !== 'deleteWebhook') sharedWebhook = webhookId;
  return webhookId;
}

async function makeDelivery(webhookId: string): Promise<string> {
  const path = `/projects/${bootstrap.projectId}/webhooks/${webhookId}/test`;
  return ((await service.call('POST', path, { headers: credentials.owner })).body as { deliveryId: string }).deliveryId;
}

/** The path with what it names filled in: all of it the demo organization’s, and made for this call where the call may use it up. */
async function fillIn(path: string, operationId: string): Promise<string> {
  const filled = path.replace('{projectId}', bootstrap.projectId).replace('{orgId}', bootstrap.organizationId);
  if (path.includes('{keyId}')) {
    const key = await service.call('POST', filled.replace(/\/\{keyId\}.*$/, ''), {
      body: {},
      headers: credentials.owner,
    });
    return filled.replace('{keyId}', (key.body as { keyId: string }).keyId);
  }
  if (path.includes('{webhookId}')) {
    const webhookId = await makeWebhook(operationId);
    const deliveryId = path.includes('{deliveryId}') ? await makeDelivery(webhookId) : '';
    return filled.replace('{webhookId}', webhookId).replace('{deliveryId}', deliveryId);
  }
  if (path.includes('{linkId}')) {
    const link = await service.call('POST', `/projects/${bootstrap.projectId}/links`, {
      body: {},
      headers: credentials.owner,
    });
    return filled.replace('{linkId}', (link.body as { linkId: string }).linkId);
  }
  if (operationId === 'readSession') {
    const sessionId = `known-${(made += 1)}`;
    await service.call('POST', '/lite/score', { body: { sessionId, clientIp: '203.0.113.7' } });
    return filled.replace('{sessionId}', sessionId);
  }
  if (path.includes('{receiptId}')) {
    const score = await service.call('POST', '/lite/score', {
      body: { sessionId: `receipt-${(made += 1)}`, clientIp: '203.0.113.7' },
    });
    return filled.replace('{receiptId}', (score.body as { receiptId: string }).receiptId);
  }
  if (operationId === 'mintDemoKey') {
    // Ten a minute is all that one project mints.
    const project = await service.call('POST', '/projects', {
      body: { name: `Trial ${(made += 1)}` },
      headers: credentials.owner,
    });
    return filled.replace('{siteKey}', (project.body as { siteKey: string }).siteKey);
  }
  if (path.includes('{clientId}')) {
    const { clientId } = await makeClient(service);
    return filled.replace('{clientId}', clientId);
  }
  const withSite = filled.replace('{siteKey}', bootstrap.siteKey);
  return operationId === 'checkOrigin' ? `${withSite}?siteKey=${bootstrap.siteKey}` : withSite;
}

function exampleOf({ requestBody }: Operation): unknown {
  const media = requestBody?.content['application/json'];
  return media?.example ?? media?.schema?.examples?.[0] ?? Object.values(media?.examples ?? {})[0]?.value;
}

t.test('the table has a line for every operation, and for nothing else', (t) => {
  t.same(
    operations.map(({ operation }) => operation.operationId).filter((id) => !table.has(id)),
    [],
    'operations without a line in test/service/access-table.ts',
  );
  t.same(
    [...table.keys()].filter((id) => !operations.some(({ operation }) => operation.operationId === id)),
    [],
    'lines without an operation',
  );
  t.end();
});

for (const { path, method, operation } of operations) {
  t.test(`${operation.operationId} answers every kind of credential as the table says`, async (t) => {
    const expected = table.get(operation.operationId);
    const body = exampleOf(operation);
    const actual: Record<string, string> = {};
    for (const kind of credentialKinds) {
      const filled = { path: await fillIn(path, operation.operationId), body };
      const call = await prepareCall(service, operation.operationId, filled);
      const { status } = await service.call(method, call.path, {
        ...(call.body === undefined ? {} : { body: call.body }),
        headers: { ...call.headers, ...credentials[kind] },
      });
      actual[kind] = status >= 200 && status < 300 ? 'ok' : String(status);
    }
    t.same(actual, expected);
  });
}

const full = await makeClient(service);
const tokenOf = (scopes: readonly OAuthScope[]) =>
  bearerOf(service.bootstrap.siteUrl, full, { scope: scopes.join(' ') });
const everything = await tokenOf(oauthScopeNames);

for (const { path, method, operation } of operations) {
  const { operationId } = operation;
  t.test(`${operationId} answers an access token by its scopes, as the document says`, async (t) => {
    const scopes = accessTokenScopes[operationId] ?? [];
    const documented = (operation.security ?? []).flatMap(({ oauth2 = [] }) => oauth2);
    t.same(documented, scopes);
    const { issueApiKey: _keys, ...body } = (exampleOf(operation) ?? {}) as Readonly<Record<string, unknown>>;
    const ask = async (headers: Readonly<Record<string, string>>): Promise<string> => {
      const filled = {
        path: await fillIn(path, operationId),
        body: exampleOf(operation) === undefined ? undefined : body,
      };
      const call = await prepareCall(service, operationId, filled);
      const { status } = await service.call(method, call.path, {
        ...(call.body === undefined ? {} : { body: call.body }),
        headers: { ...call.headers, ...headers },
      });
      return status >= 200 && status < 300 ? 'ok' : String(status);
    };
    const row = table.get(operationId);
    const isOpen = (operation.security ?? []).length === 0;
    if (scopes.length === 0) {
      t.equal(await ask(everything), isOpen ? row?.none : '403');
      return;
    }
    t.equal(await ask(everything), row?.organizationKey, 'with every scope');
    for (const scope of scopes) t.equal(await ask(await tokenOf([scope])), row?.organizationKey, `with ${scope}`);
    const others = oauthScopeNames.filter((scope) => !scopes.includes(scope));
    t.equal(await ask(await tokenOf(others)), '403', 'with every scope but that');
  });
}

t.test('a misspelt name in a query is refused: a filter that is passed over would show everything', async (t) => {
  const placeOf = (parameter: Parameter | { readonly $ref: string }) =>
    '$ref' in parameter
      ? document.components.parameters[parameter.$ref.replace('#/components/parameters/', '')]?.in
      : parameter.in;
  const asked = operations.filter(
    ({ operation: { security = [], parameters = [] } }) =>
      security.length > 0 && parameters.some((parameter) => placeOf(parameter) === 'query'),
  );
  t.ok(asked.length >= 10);
  for (const { path, method, operation } of asked) {
    const { operationId } = operation;
    const kind = credentialKinds.find((each) => table.get(operationId)?.[each] === 'ok') ?? 'none';
    const call = await prepareCall(service, operationId, { path: await fillIn(path, operationId), body: undefined });
    const url = `${call.path}${call.path.includes('?') ? '&' : '?'}limitt=1`;
    const { status, body } = await service.call(method, url, { headers: { ...call.headers, ...credentials[kind] } });
    t.equal(status, 400, operationId);
    t.match(body, { issues: [{ path: '/querystring/limitt', message: /is not a known name/ }] }, operationId);
  }
});

t.test('what belongs to another organization is answered byte for byte like what never existed', async (t) => {
  const ask = (path: string) =>
    service.call('GET', path, { headers: { ...credentials.otherOrganizationOwner, 'x-request-id': 'same' } });
  for (const [theirs, nothing] of [
    [`/projects/${bootstrap.projectId}`, '/projects/proj_00000000000000000000000000000000'],
    [`/projects/${bootstrap.projectId}/api-keys`, '/projects/proj_00000000000000000000000000000000/api-keys'],
    [`/organizations/${bootstrap.organizationId}/audit`, '/organizations/org_00000000000000000000000000000000/audit'],
  ] as const) {
    const [known, unknown] = [await ask(theirs), await ask(nothing)];
    t.equal(known.status, 404);
    t.same(known.body, unknown.body, theirs);
  }
});
