/** Every route of studies with every kind of credential, access tokens among them: what is not theirs does not exist. */
import t from 'tap';
import {
  creationExample,
  disputesExample,
  invitationsExample,
  linkCheckExample,
  patchExample,
  supplierExample,
  supplierPatchExample,
} from '../../src/audience/examples.js';
import { oauthScopeNames, type MadeOAuthClient } from '../../src/contract/oauth.js';

import type { ErrorBody } from '../../src/contract/common.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { SupplierReply } from '../../src/contract/supplier.js';
import { openEntry, placeAt } from '../helpers/fielding.js';
import { bearerOf, makeClient } from '../helpers/oauth.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';
import { credentialKinds, type CredentialKind } from './access-table.js';
import { studyActions } from '../../src/contract/study-moves.js';

t.setTimeout(120_000);
const { service, other, sibling, credentials } = await startOrganizations(t);
const { audienceUrl, siteUrl, projectId, projectKey, organizationKey } = service.bootstrap;

type Kind = CredentialKind | (typeof tokenKinds)[number];
const tokenKinds = [
  'token',
  'tokenWithoutScope',
  'tokenInProject',
  'tokenInSibling',
  'tokenInProjectOfOthers',
  'tokenOfOthers',
] as const;
type Answer = 'ok' | '401' | '403' | '404';

const full = await makeClient(service);
const made = await service.call('POST', `/organizations/${other.organizationId}/oauth-clients`, {
  body: { name: 'Others', scopes: ['audience:write'] },
  headers: keyHeaders(other.organizationKey),
});
const othersClient: MadeOAuthClient & { readonly clientSecret: string } = made.body;
const token = await bearerOf(siteUrl, full, { scope: 'audience:write' });
const tokens: Readonly<Record<(typeof tokenKinds)[number], Headers>> = {
  token,
  tokenWithoutScope: await bearerOf(siteUrl, full, {
    scope: oauthScopeNames.filter((scope) => scope !== 'audience:write').join(' '),
  }),
  tokenInProject: { ...token, 'x-project-id': projectId },
  tokenInSibling: { ...token, 'x-project-id': sibling.projectId },
  tokenInProjectOfOthers: { ...token, 'x-project-id': other.projectId },
  tokenOfOthers: await bearerOf(siteUrl, othersClient),
};
const headersOf: Readonly<Record<Kind, Headers>> = { ...credentials, ...tokens };

async function ask(method: string, path: string, headers: Headers, body?: object): Promise<Response> {
  return fetch(audienceUrl + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A study of the demo project, moved by the actions named. */
async function makeStudy(actions: readonly string[] = [], own = keyHeaders(projectKey)): Promise<string> {
  const { studyId } = (await (await ask('POST', '/studies', own, creationExample)).json()) as StudyReply;
  for (const action of actions) await ask('POST', `/studies/${studyId}/${action}`, own);
  return studyId;
}

let suppliersMade = 0;
const supplierBody = () => ({ ...supplierExample, sourceId: `panel-${suppliersMade++}` });
async function makeSupplier(): Promise<string> {
  const made = await ask('POST', '/suppliers', keyHeaders(organizationKey), supplierBody());
  return ((await made.json()) as SupplierReply).supplierId;
}

const shared = [await makeSupplier()];

/** The actions before an action; a body as documented if it takes one. */
const before: Readonly<Record<string, readonly string[]>> = {
  pauseStudy: ['launch'],
  resumeStudy: ['launch', 'pause'],
  closeStudy: ['launch'],
  reportReturn: ['launch'],
  withdrawDispute: ['launch'],
};
/** Sends a respondent to the survey; returns the place. */
async function enterStudy(studyId: string): Promise<string> {
  const url = `${audienceUrl}/enter/${studyId}?rid=r&src=s`;
  return placeAt((await openEntry(url)).location);
}

const bodies: Readonly<Record<string, (studyId: string) => object | Promise<object>>> = {
  reportReturn: async (studyId) => ({ place: await enterStudy(studyId), status: 'complete' }),
  disputeCompletes: () => disputesExample,
  createStudy: () => creationExample,
  updateStudy: () => patchExample,
  createSupplier: supplierBody,
  updateSupplier: () => supplierPatchExample,
  createInvitations: () => ({ ...invitationsExample, supplierId: shared[0] }),
  checkLink: () => linkCheckExample,
  recoverPostbacks: () => ({ since: '2026-11-01T00:00:00Z' }),
};

const refused: Partial<Record<Kind, Answer>> = {
  ...Object.fromEntries(
    (['none', 'garbage', 'expiredKey', 'revokedKey', 'expiredToken'] as const).map((kind) => [kind, '401']),
  ),
  demoKey: '403',
  tokenWithoutScope: '403',
  tokenInProjectOfOthers: '404',
};
/** Only a study's project, its organization, and clients of that reach it, in the mode that it was made in. */
const beyond = [
  ...(['otherOrganizationKey', 'otherProjectKey', 'testKey', 'organizationTestKey'] as const),
  ...(['tokenInSibling', 'tokenOfOthers'] as const),
];
const notTheirs: Partial<Record<Kind, Answer>> = Object.fromEntries(beyond.map((kind) => [kind, '404']));

/** Suppliers take the organization’s credentials; a supplier’s own project key must not reach the others. */
const ofOrganization: Partial<Record<Kind, Answer>> = {
  ...Object.fromEntries((['projectKey', 'otherProjectKey', 'testKey'] as const).map((kind) => [kind, '403'])),
  tokenInProjectOfOthers: 'ok',
};
const notTheirSupplier: Partial<Record<Kind, Answer>> = {
  ...{ otherOrganizationKey: '404', organizationTestKey: '404', tokenOfOthers: '404' },
};

/** People read studies and postbacks, and admins change, move and resend them; everything else is for programs. */
const people: Partial<Record<Kind, 'member' | 'admin'>> = {
  member: 'member',
  admin: 'admin',
  owner: 'admin',
  otherOrganizationOwner: 'admin',
};
const leastRoles: Readonly<Record<string, 'member' | 'admin'>> = {
  ...Object.fromEntries(
    [
      ...['listStudies', 'getStudy', 'reportStudy', 'listRespondents', 'exportRespondents'],
      ...['readPostbackHealth', 'listPostbacks'],
    ].map((id) => [id, 'member']),
  ),
  ...Object.fromEntries(
    ['updateStudy', 'replayPostback', 'recoverPostbacks', ...studyActions.map((action) => `${action}Study`)].map(
      (id) => [id, 'admin'],
    ),
  ),
};
function accessOfPerson(operationId: string, path: string, kind: Kind): Answer {
  const least = leastRoles[operationId];
  if (least === undefined) return '401';
  if (least === 'admin' && people[kind] === 'member') return '403';
  return kind === 'otherOrganizationOwner' && /\{(?:studyId|supplierId)\}/.test(path) ? '404' : 'ok';
}

/** Whoever may send a postback again asks for one that there is not: the supplier has nobody yet. */
function expectedOf(operationId: string, path: string, kind: Kind): Answer {
  const answer = kind in people ? accessOfPerson(operationId, path, kind) : accessOf(path, kind);
  return answer === 'ok' && path.includes('{deliveryId}') ? '404' : answer;
}

function accessOf(path: string, kind: Kind): Answer {
  if (/^\/(?:suppliers|postbacks)/.test(path))
    return ofOrganization[kind] ?? refused[kind] ?? (path.includes('{') ? notTheirSupplier[kind] : undefined) ?? 'ok';
  return refused[kind] ?? (path.includes('{studyId}') ? notTheirs[kind] : undefined) ?? 'ok';
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}
const { paths } = (await (await fetch(`${audienceUrl}/openapi.json`)).json()) as Document;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
);

t.test('every route of studies is tried', (t) => {
  t.ok(operations.length >= 12);
  for (const id of [...Object.keys(before), ...Object.keys(bodies)])
    t.ok(
      operations.some(({ operationId }) => operationId === id),
      id,
    );
  t.end();
});

for (const { path, method, operationId } of operations)
  t.test(`${operationId} answers every kind of credential`, async (t) => {
    for (const kind of [...credentialKinds, ...tokenKinds]) {
      const ids = {
        studyId: path.includes('{studyId}') ? await makeStudy(before[operationId]) : '',
        supplierId: path.includes('{supplierId}') ? await makeSupplier() : '',
      };
      const place = path.includes('{place}') ? await enterStudy(ids.studyId) : '';
      const filled = Object.entries({ ...ids, place }).reduce((url, [name, id]) => url.replace(`{${name}}`, id), path);
      const answer = await ask(method, filled, headersOf[kind], await bodies[operationId]?.(ids.studyId));
      const { status } = answer;
      // A page that nobody reads to its end keeps its connection, and the listener from closing.
      await answer.arrayBuffer();
      t.equal(status >= 200 && status < 300 ? 'ok' : String(status), expectedOf(operationId, path, kind), kind);
    }
  });

t.test('the tokens of respondents are read by keys and admins, and by no member', async (t) => {
  const studyId = await makeStudy(['launch']);
  for (const operationId of ['listRespondents', 'exportRespondents']) {
    const { path = '' } = operations.find((operation) => operation.operationId === operationId) ?? {};
    const url = path.replace('{studyId}', studyId);
    for (const kind of [...credentialKinds, ...tokenKinds]) {
      const { status } = await ask('GET', `${url}?token=on`, headersOf[kind]);
      const expected = people[kind] === 'member' ? '403' : expectedOf(operationId, path, kind);
      t.equal(status === 200 ? 'ok' : String(status), expected, `${operationId}: ${kind}`);
    }
    const refusal = await ask('GET', `${url}?token=on`, credentials.member);
    t.match(await refusal.json(), {
      code: 'INSUFFICIENT_SCOPE',
      message: /`token=on` needs admin\. Ask an owner or admin\./,
    });
    t.equal((await ask('GET', `${url}?token=off`, credentials.member)).status, 200);
  }
});

t.test('the audit trail says which fields of a study were changed, from what to what', async (t) => {
  const studyId = await makeStudy();
  const path = `/studies/${studyId}`;
  const before = (await (await ask('GET', path, credentials.owner)).json()) as StudyReply;
  const quotas = [{ name: 'women', gender: 'female', limit: 7 }];
  const audience = { sample_size: before.audience.sample_size + 1, quotas, limits: { perAddress: 1_000 } };
  const audit = async (): Promise<object> => {
    const { body } = await service.call('GET', `/organizations/${service.bootstrap.organizationId}/audit?limit=1`, {
      headers: credentials.owner,
    });
    return (body as { entries: { detail: object }[] }).entries[0]?.detail ?? {};
  };
  t.equal((await ask('PATCH', path, credentials.owner, { name: 'Renamed', audience })).status, 200);
  const { sample_size: sampleSize } = before.audience;
  const { changes } = (await audit()) as { changes: Record<string, { before: unknown; after: unknown }> };
  t.same(Object.keys(changes).sort(), ['limits', 'name', 'quotas', 'sampleSize']);
  t.match(changes, {
    name: { before: before.name, after: 'Renamed' },
    sampleSize: { before: sampleSize, after: sampleSize + 1 },
    limits: { after: { perAddress: 1_000 } },
  });
  t.same(changes['quotas']?.after, quotas);
  t.equal((await ask('PATCH', path, credentials.owner, { name: 'Again' })).status, 200);
  t.same(await audit(), { changes: { name: { before: 'Renamed', after: 'Again' } } }, 'and no field that stayed');
});

t.test('the console’s page may call studies and postbacks, and no other page', async (t) => {
  for (const origin of [siteUrl, 'https://elsewhere.example']) {
    const allowed = origin === siteUrl ? origin : null;
    const preflight = await fetch(`${audienceUrl}/studies/any/launch`, { method: 'OPTIONS', headers: { origin } });
    const answers = [
      preflight,
      await ask('GET', '/studies', { ...credentials.owner, origin }),
      await ask('GET', '/postbacks', { ...credentials.owner, origin }),
      await fetch(`${audienceUrl}/suppliers/any/recover`, { method: 'OPTIONS', headers: { origin } }),
      await ask('GET', '/studies/none', { origin }),
    ];
    for (const { headers } of answers) t.equal(headers.get('access-control-allow-origin'), allowed, origin);
  }
});

t.test('a list of one project leaves out the studies of others', async (t) => {
  const own = await makeStudy();
  const theirs = await makeStudy([], keyHeaders(sibling.projectKey));
  const read = async (query: string, headers: Headers): Promise<string> =>
    (await ask('GET', `/studies?limit=200${query}`, headers)).text();
  for (const headers of [credentials.member, keyHeaders(organizationKey)]) {
    t.match(await read('', headers), own);
    t.match(await read('', headers), theirs);
    t.match(await read(`&projectId=${projectId}`, headers), own);
    t.notMatch(await read(`&projectId=${projectId}`, headers), theirs);
    t.notMatch(await read(`&projectId=${other.projectId}`, headers), own);
  }
  t.equal((await ask('GET', `/studies?projectId=${sibling.projectId}`, keyHeaders(projectKey))).status, 404);
});

t.test('what lists shows is theirs', async (t) => {
  const studyId = await makeStudy(['launch']);
  for (const kind of [...beyond, 'projectKey', 'organizationKey', 'token', 'tokenInProject'] as const) {
    const isTheirs = !beyond.some((name) => name === kind);
    const text = await (await ask('GET', '/studies?limit=200', headersOf[kind])).text();
    t.equal(text.includes(studyId), isTheirs, kind);
  }
  for (const kind of ['otherOrganizationKey', 'testKey', 'tokenOfOthers'] as const)
    t.notMatch(await (await ask('GET', '/supply/studies?limit=200', headersOf[kind])).text(), studyId, kind);
  const elsewhere = { ...creationExample, projectId: other.projectId };
  for (const kind of ['token', 'organizationKey', 'tokenInProject'] as const)
    t.equal((await ask('POST', '/studies', headersOf[kind], elsewhere)).status, 404, `${kind}: a project of others`);
});

t.test('a test key has studies of its own, which nobody is sent to from the live world', async (t) => {
  const studyId = await makeStudy(['launch'], credentials.testKey);
  const path = `/studies/${studyId}`;
  t.equal((await ask('GET', path, credentials.testKey)).status, 200);
  t.match(await (await ask('GET', '/supply/studies?limit=200', credentials.testKey)).text(), studyId);
  for (const kind of ['projectKey', 'organizationKey', 'token'] as const) {
    t.equal((await ask('GET', path, headersOf[kind])).status, 404, kind);
    t.notMatch(await (await ask('GET', '/studies?limit=200', headersOf[kind])).text(), studyId, kind);
    t.notMatch(await (await ask('GET', '/supply/studies?limit=200', headersOf[kind])).text(), studyId, kind);
  }
});

t.test('each listener names the address of the other for what that one serves', async (t) => {
  const host = { host: 'elsewhere.example' };
  for (const [url, at] of [
    [`${service.bootstrap.baseUrl}/studies`, audienceUrl],
    [`${audienceUrl}/projects/${projectId}`, service.bootstrap.baseUrl],
  ] as const) {
    const answer = await fetch(url, { headers: host });
    const { code, message } = (await answer.json()) as ErrorBody;
    t.same([answer.status, code, message], [404, 'NOT_FOUND', `This path is served at ${at}. Send the request there.`]);
  }
});
