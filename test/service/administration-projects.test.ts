import { calibrationDefaults } from '../../src/contract/calibration.js';
import t from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { ProjectReply, ProvisioningReply } from '../../src/contract/project.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';
import { startTestService } from '../helpers/service.js';

const { service, credentials, other, dashboard } = await startOrganizations(t);
const { bootstrap } = service;
/** The preset Balanced. */
const levels = { liveness: 0.65, uniqueness: 0.85, authenticity: 0.7, screenDetection: 0.6 };

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}
const post = <T = ErrorBody>(
  path: string,
  body: unknown,
  headers: Headers = credentials.organizationKey,
): Promise<Answer<T>> => service.call('POST', path, { body, headers });
const provision = (body: object, headers?: Headers): Promise<Answer<ProvisioningReply>> =>
  post('/projects/provision', body, headers);
const patch = <T = ErrorBody>(
  projectId: string,
  body: unknown,
  headers: Headers = credentials.admin,
): Promise<Answer<T>> => service.call('PATCH', `/projects/${projectId}`, { body, headers });
const read = async (projectId: string): Promise<ProjectReply> =>
  (await service.call('GET', `/projects/${projectId}`, { headers: credentials.member })).body;
const introspect = async (apiKey: string): Promise<number> =>
  (await service.call('GET', '/api-keys/current', { headers: keyHeaders(apiKey) })).status;

t.test('provisioning twice answers one project and mints one key, told once', async (t) => {
  const body = { name: 'Once', externalId: 'once', issueApiKey: true };
  const first = await provision(body);
  t.equal(first.status, 201);
  t.match(first.body, {
    siteKey: first.body.projectId,
    externalId: 'once',
    name: 'Once',
    organizationId: bootstrap.organizationId,
    apiKeyIssued: true,
    apiKey: /^vf_live_/,
    probeKey: /^pk_/,
  });
  const second = await provision({ ...body, name: 'Another name' });
  t.equal(second.status, 200);
  t.same(second.body, { ...first.body, apiKey: null, apiKeyIssued: false });
  t.equal(await introspect(first.body.apiKey ?? ''), 200);
});

t.test('fifty calls that race make one project and one key', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => provision({ name: 'Race', externalId: 'race', issueApiKey: true })),
  );
  t.equal(new Set(answers.map(({ body }) => body.projectId)).size, 1);
  t.equal(answers.filter(({ status }) => status === 201).length, 1);
  t.equal(answers.filter(({ body }) => body.apiKeyIssued === true).length, 1);
  t.equal(new Set(answers.map(({ body }) => body.apiKeyId)).size, 1);
  const list: { apiKeys: unknown[] } = (
    await service.call('GET', `/projects/${answers[0]?.body.projectId}/api-keys`, { headers: credentials.admin })
  ).body;
  t.equal(list.apiKeys.length, 1);
});

t.test('rotateApiKey revokes the current key and answers its replacement', async (t) => {
  const first = await provision({ name: 'Rotate', externalId: 'rotate', issueApiKey: true });
  const second = await provision({ name: 'Rotate', externalId: 'rotate', rotateApiKey: true });
  t.equal(second.status, 200);
  t.match(second.body, { apiKeyIssued: true, apiKey: /^vf_live_/ });
  t.not(second.body.apiKeyId, first.body.apiKeyId);
  t.equal(await introspect(first.body.apiKey ?? ''), 401);
  t.equal(await introspect(second.body.apiKey ?? ''), 200);
});

t.test('without issueApiKey no key is made, and a project from before gets one when first asked', async (t) => {
  const bare = await provision({ name: 'Bare', externalId: 'bare' });
  t.notOk('apiKey' in bare.body || 'apiKeyIssued' in bare.body);
  t.notOk(
    'apiKey' in (await provision({ name: 'Bare', externalId: 'bare', rotateApiKey: true })).body,
    'there is none to rotate',
  );
  const later = await provision({ name: 'Bare', externalId: 'bare', issueApiKey: true });
  t.equal(later.status, 200);
  t.equal(later.body.apiKeyIssued, true);
});

t.test('the issued key is live, of its one project, never expires, and can neither provision nor mint', async (t) => {
  const { body } = await provision({ name: 'Issued', externalId: 'issued', issueApiKey: true });
  const headers = keyHeaders(body.apiKey ?? '');
  const key = (await service.call('GET', '/api-keys/current', { headers })).body as Record<string, unknown>;
  t.match(key, { scope: 'project', projectId: body.projectId, projectName: 'Issued', isTest: false, isDemo: false });
  t.notOk('expiresAt' in key);
  t.match(await post('/projects/provision', { name: 'x' }, headers), {
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
  t.match(await post(`/projects/${body.projectId}/api-keys`, {}, headers), {
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
  const score = await post<{ score: number; duplicate: { measured: boolean } }>(
    '/lite/score',
    { sessionId: 's', clientIp: '203.0.113.4', respondentId: 'r' },
    headers,
  );
  t.match(score, { status: 200, body: { duplicate: { measured: true } } });
});

t.test('one external id in two organizations is two projects', async (t) => {
  const [mine, theirs] = [
    await provision({ name: 'A', externalId: 'shared' }),
    await provision({ name: 'B', externalId: 'shared' }, keyHeaders(other.organizationKey)),
  ];
  t.equal(theirs.status, 201);
  t.not(mine.body.projectId, theirs.body.projectId);
});

t.test('branding is refused while provisioning and points at PATCH', async (t) => {
  t.match(await post('/projects/provision', { name: 'x', branding: { companyName: 'x' } }), {
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/branding', message: /PATCH \/projects/ }] },
  });
});

t.test('a new project has every default of the documentation', async (t) => {
  const { body } = await provision({ name: 'Defaults' });
  t.match(await read(body.projectId), {
    externalId: null,
    verificationMode: 'block',
    userDisclosure: 'NEUTRAL',
    userDisclosureCustomText: null,
    branding: null,
    config: {
      widgetMode: 'standard',
      lockWidgetMode: false,
      minimumAssurance: 'device_only',
      challengeEnabled: true,
      maxRetries: 3,
      livenessThreshold: 0.65,
      uniquenessThreshold: 0.85,
      allowedDomains: [],
      degradedMode: 'FAIL_OPEN_FLAGGED',
      escalateOnSuspicion: false,
      riskAggregator: 'off',
      demoKeys: true,
      deduplication: {
        scope: 'project',
        perDataCollector: false,
        reEligibilityDays: null,
        device: 'note',
        face: 'fail',
        faceReuse: 'on',
      },
      monitoring: { question: {} },
      liteConfig: { ...calibrationDefaults, perSource: {} },
    },
    customThresholds: {},
    effective: { thresholds: levels, liteConfig: { ...calibrationDefaults, perSource: {} } },
    scoreModeConfig: { exposeBreakdown: false },
  });
});

const refused: readonly (readonly [object, string, RegExp])[] = [
  [{ config: { maxRetries: 11 } }, '/config/maxRetries', /<= 10/],
  [{ config: { maxRetries: 2.5 } }, '/config/maxRetries', /whole number/],
  [{ config: { maxRetries: '3' } }, '/config/maxRetries', /whole number/],
  [{ config: { livenessThreshold: 1.1 } }, '/config/livenessThreshold', /<= 1/],
  [{ config: { uniquenessThreshold: -0.1 } }, '/config/uniquenessThreshold', />= 0/],
  [{ config: { widgetMode: 'hidden' } }, '/config/widgetMode', /invisible/],
  [{ config: { challengeEnabled: 'yes' } }, '/config/challengeEnabled', /true, false or null/],
  [{ config: { degradedMode: 'FAIL_OPEN' } }, '/config/degradedMode', /FAIL_CLOSED/],
  [{ config: { riskAggregator: 'maybe' } }, '/config/riskAggregator', /shadow/],
  [{ config: { deduplication: { scope: 'group' } } }, '/config/deduplication/groupId', /is required/],
  [{ config: { deduplication: { reEligibilityDays: 6 } } }, '/config/deduplication/reEligibilityDays', />= 7/],
  [{ config: { deduplication: { reEligibilityDays: 366 } } }, '/config/deduplication/reEligibilityDays', /<= 365/],
  [{ config: { monitoring: { anomalyThreshold: 2 } } }, '/config/monitoring/anomalyThreshold', /<= 1/],
  [
    { config: { monitoring: { question: { minTimeMs: 5, maxTimeMs: 4 } } } },
    '/config/monitoring/question/minTimeMs',
    /5 is above 4/,
  ],
  [{ config: { monitoring: { question: { minTime: 5 } } } }, '/config/monitoring/question/minTime', /minTimeMs/],
  [{ reviewLow: 40 }, '/reviewLow', /did you mean "config.liteConfig.reviewLow"/],
  [{ config: { liteConfig: { reviewLow: 90 } } }, '/config/liteConfig/reviewLow', /90 is above 75/],
  [
    { config: { liteConfig: { perSource: { s: { blockTreshold: 1 } } } } },
    '/config/liteConfig/perSource/s/blockTreshold',
    /blockThreshold/,
  ],
  [{ config: { maxRetry: 3 } }, '/config/maxRetry', /did you mean "maxRetries"/],
  [{ confg: {} }, '/confg', /did you mean "config"/],
  [{ verificationMode: 'scoring' }, '/verificationMode', /score/],
  [{ customThresholds: { liveness: 2 } }, '/customThresholds/liveness', /<= 1/],
  [{ customThresholds: { livness: 0.5 } }, '/customThresholds/livness', /liveness/],
  [{ scoreModeConfig: { blockAboveRisk: 1.5 } }, '/scoreModeConfig/blockAboveRisk', /<= 1/],
  [
    { scoreModeConfig: { blockOnFraudSignals: ['virtual_camera', 'Screen Detected', 'tor_exit'] } },
    '/scoreModeConfig/blockOnFraudSignals/1',
    /is not a type of fraud signal; did you mean "screen_detected"\?/,
  ],
  [{ scoreModeConfig: { redirectPassUrl: 'http://survey.example.com' } }, '/scoreModeConfig/redirectPassUrl', /https/],
  [{ scoreModeConfig: { redirectFailUrl: 'javascript:alert(1)' } }, '/scoreModeConfig/redirectFailUrl', /https/],
  [
    { scoreModeConfig: { redirectPassUrl: 'https://user:pass@a.example' } },
    '/scoreModeConfig/redirectPassUrl',
    /user name/,
  ],
  [{ userDisclosure: 'CUSTOM' }, '/userDisclosureCustomText', /1 to 280/],
  [{ userDisclosure: 'CUSTOM', userDisclosureCustomText: '   ' }, '/userDisclosureCustomText', /1 to 280/],
  [{ userDisclosureCustomText: 'x'.repeat(281) }, '/userDisclosureCustomText', /280/],
  [{ userDisclosure: 'LOUD' }, '/userDisclosure', /TRANSPARENT/],
  [{ branding: { primaryColor: 'red' } }, '/branding/primaryColor', /pattern/],
  [{ branding: { supportEmail: 'nobody' } }, '/branding/supportEmail', /email/],
  [{ branding: { logoUrl: 'data:image/png;base64,AAAA' } }, '/branding/logoUrl', /URL/],
  [{ branding: { fontFamily: 'x; } body { display: none' } }, '/branding/fontFamily', /pattern/],
  [{ config: { allowedDomains: ['*.com'] } }, '/config/allowedDomains/0', /com is a public suffix/],
  [{ config: { allowedDomains: ['https://a.example', 'https://*'] } }, '/config/allowedDomains/1', /wildcard/],
  [{ allowedOrigins: ['https://a.example/path'] }, '/allowedOrigins/0', /path/],
  [
    { allowedOrigins: ['https://a.example'], config: { allowedDomains: ['https://b.example'] } },
    '/allowedOrigins',
    /differs/,
  ],
  [{ name: null }, '/name', /null/],
  [{ name: '' }, '/name', /fewer than 1/],
  [{ name: 'a\u0000b' }, '/name', /NUL character/],
  [
    { config: { liteConfig: { perSource: { 'a\ud800': {} } } } },
    '/config/liteConfig/perSource/a\ud800',
    /is not allowed as a name/,
  ],
];

t.test('every field out of its range is refused by its JSON pointer, and nothing is changed', async (t) => {
  const { body } = await provision({ name: 'Ranges' });
  const before = await read(body.projectId);
  for (const [change, path, message] of refused) {
    const answer = await patch(body.projectId, change);
    t.equal(answer.status, 400, JSON.stringify(change));
    const issue = answer.body.issues?.find(
      (found) => found.path === path.replace('\ud800', '\ufffd') || found.path === path,
    );
    t.match(issue?.message ?? JSON.stringify(answer.body), message, path);
  }
  t.same(await read(body.projectId), before);
});

t.test('what is set is read back, and null goes back to the default', async (t) => {
  const { body } = await provision({ name: 'Patched' });
  const change = {
    description: 'd',
    externalId: 'patched',
    verificationMode: 'score',
    config: {
      widgetMode: 'invisible',
      maxRetries: 0,
      degradedMode: 'FAIL_CLOSED',
      escalateOnSuspicion: true,
      riskAggregator: 'shadow',
      deduplication: { scope: 'group', groupId: 'g', perDataCollector: true, reEligibilityDays: 30 },
      monitoring: { question: { maxPastes: 2 } },
      allowedDomains: ['https://A.Example:443', 'localhost:*'],
    },
    customThresholds: { liveness: 0.9 },
    scoreModeConfig: {
      blockAboveRisk: 0.9,
      blockOnFraudSignals: ['screen_detected'],
      redirectPassUrl: 'https://a.example/ok?x=1',
      redirectFailUrl: 'http://localhost:3000/no',
    },
    userDisclosure: 'CUSTOM',
    userDisclosureCustomText: 'We <b>check</b> & keep nothing',
    branding: { companyName: 'C', logoUrl: 'https://cdn.example/l.png', hidePoweredBy: true },
  };
  const {
    config: { allowedDomains: _domains, monitoring: _monitoring, ...config },
    ...rest
  } = change;
  t.match((await patch<ProjectReply>(body.projectId, change)).body, { ...rest, config });
  const stored = await read(body.projectId);
  t.same(stored.config.allowedDomains, ['https://a.example', 'localhost:*'], 'origins are stored in canonical form');
  t.same(stored.config.monitoring, { question: { maxPastes: 2 } });
  t.same(stored.customThresholds, { liveness: 0.9 });
  t.same(stored.effective.thresholds, { ...levels, liveness: 0.9 });
  const back = await patch<ProjectReply>(body.projectId, {
    verificationMode: null,
    config: null,
    customThresholds: null,
    scoreModeConfig: null,
    userDisclosure: null,
    branding: null,
    externalId: null,
    description: null,
  });
  t.match(back.body, {
    verificationMode: 'block',
    userDisclosure: 'NEUTRAL',
    externalId: null,
    description: null,
    branding: null,
    config: { maxRetries: 3, allowedDomains: [] },
    customThresholds: {},
    effective: { thresholds: levels },
  });
});

t.test('an external id that another project has is a conflict', async (t) => {
  await provision({ name: 'Holder', externalId: 'taken' });
  const { body } = await provision({ name: 'Wants' });
  t.match(await patch(body.projectId, { externalId: 'taken' }), {
    status: 409,
    body: { code: 'CONFLICT', issues: [{ path: '/externalId' }] },
  });
});

t.test('allowedOrigins is another name for config.allowedDomains; both are fine where they say the same', async (t) => {
  const created = await provision({
    name: 'Alias',
    allowedOrigins: ['https://a.example'],
    config: { allowedDomains: ['https://A.example:443'] },
  });
  t.equal(created.status, 201);
  t.same(created.body.allowedOrigins, ['https://a.example'], 'answered where it is accepted');
  const shown = await read(created.body.projectId);
  t.same([shown.allowedOrigins, shown.config.allowedDomains], [['https://a.example'], ['https://a.example']]);
  const cleared = await patch(created.body.projectId, { allowedOrigins: [] });
  t.match(cleared, { status: 200, body: { allowedOrigins: [] } });
});

t.test('branding above the tier is refused with field and tier; below it and taking away are free', async (t) => {
  const owner = await dashboard('owner', other.organizationId);
  for (const [branding, field, tier] of [
    [{ fontFamily: 'Inter' }, 'fontFamily', 'professional'],
    [{ privacyUrl: 'https://a.example' }, 'privacyUrl', 'professional'],
    [{ supportEmail: 'a@b.example' }, 'supportEmail', 'professional'],
    [{ companyName: 'C', logoUrl: 'https://a.example/l.png' }, 'logoUrl', 'enterprise'],
    [{ hidePoweredBy: true }, 'hidePoweredBy', 'enterprise'],
  ] as const) {
    t.match(
      await patch(other.projectId, { branding }, owner),
      { status: 403, body: { code: 'TIER_REQUIRED', field, tier } },
      field,
    );
    t.match(
      await post('/projects', { name: 'x', branding }, owner),
      { status: 403, body: { code: 'TIER_REQUIRED', field, tier } },
      field,
    );
  }
  t.equal(
    (
      await patch(
        other.projectId,
        {
          branding: {
            enabled: true,
            companyName: 'C',
            primaryColor: '#fff',
            backgroundColor: '#0a0b0c',
            logoUrl: null,
          },
        },
        owner,
      )
    ).status,
    200,
  );
});

t.test('the signing secret is rotated by version and never told', async (t) => {
  const { body } = await provision({ name: 'Signs' });
  const rotate = async (revoke?: object): Promise<Record<string, unknown>> =>
    (
      await service.call('POST', `/projects/${body.projectId}/signing-secret/rotate`, {
        ...(revoke === undefined ? {} : { body: revoke }),
        headers: credentials.admin,
      })
    ).body;
  const second = await rotate();
  t.same(Object.keys(second).sort(), ['projectId', 'rotatedAt', 'version']);
  t.equal(second['version'], 2, 'the first is made with the project');
  t.match(await rotate({ revokeprevious: true }), { code: 'VALIDATION_FAILED' }, 'it would revoke nothing');
  t.equal((await rotate({ revokePrevious: true }))['version'], 3);
});

t.test('outside of development a redirect must be HTTPS, localhost too', async (t) => {
  const strict = await startTestService(t, { VH_ENV: 'staging', VH_BOOTSTRAP: 'on' });
  const answer = await strict.call('PATCH', `/projects/${strict.bootstrap.projectId}`, {
    body: { scoreModeConfig: { redirectPassUrl: 'http://localhost:3000/ok' } },
    headers: keyHeaders(strict.bootstrap.organizationKey),
  });
  t.match(answer, { status: 400, body: { issues: [{ path: '/scoreModeConfig/redirectPassUrl', message: /https/ }] } });
});
