/** Every field of a project: taken by each way in that takes it, shown again, and by tier where it is branding. */
import t from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { ProjectReply } from '../../src/contract/project.js';
import { brandingTiers, tiers, type Branding } from '../../src/contract/project-parts.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { sendOperatorCommand } from '../../src/projects/operator/operator-channel.js';
import { startOrganizations } from '../helpers/organizations.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials, other, dashboard } = await startOrganizations(t);

const branding: Required<Branding> = {
  enabled: true,
  companyName: 'Nordlicht',
  primaryColor: '#0b3d2e',
  backgroundColor: '#fff',
  fontFamily: 'Inter, sans-serif',
  privacyUrl: 'https://survey.example/privacy',
  supportEmail: 'help@survey.example',
  logoUrl: 'https://survey.example/logo.png',
  hidePoweredBy: true,
};
const knobs = {
  reviewLow: 30,
  blockThreshold: 80,
  noProbeRiskScore: 20,
  stepUpEnabled: true,
  stepUpThreshold: 50,
  stepUpIntensityThreshold: 70,
  geoRiskWeights: { DE: 1.5 },
  dispositiveSignals: ['confirmed_clawback', 'device_farm'],
  newUserPosture: 'review_lean',
  verifiedAgentPolicy: 'allow',
};
/** By the place that a field has in a project: a value that is not its default. */
const fields: Readonly<Record<string, unknown>> = {
  description: 'A wave of spring',
  externalId: 'own-id',
  verificationMode: 'score',
  userDisclosure: 'TRANSPARENT',
  userDisclosureCustomText: 'x'.repeat(280),
  'config.widgetMode': 'invisible',
  'config.lockWidgetMode': true,
  'config.minimumAssurance': 'biometric',
  'config.challengeEnabled': false,
  'config.maxRetries': 10,
  'config.livenessThreshold': 0.5,
  'config.uniquenessThreshold': 0.5,
  'config.allowedDomains': ['https://survey.example', 'survey.example', '*.survey.example', 'localhost:*'],
  'config.degradedMode': 'FAIL_CLOSED',
  'config.escalateOnSuspicion': true,
  'config.evidenceFrames': 'sampled',
  'config.demoKeys': false,
  'customThresholds.liveness': 0.1,
  'customThresholds.uniqueness': 0.2,
  'customThresholds.authenticity': 0.3,
  'customThresholds.screenDetection': 0.4,
  'scoreModeConfig.blockAboveRisk': 0.9,
  'scoreModeConfig.blockBelowUniqueness': 0.1,
  'scoreModeConfig.blockOnFraudSignals': ['screen_detected', 'virtual_camera'],
  'scoreModeConfig.minEvidenceQuality': 0.5,
  'scoreModeConfig.exposeBreakdown': true,
  'scoreModeConfig.redirectPassUrl': 'https://survey.example/pass',
  'scoreModeConfig.redirectFailUrl': 'https://survey.example/fail',
  ...Object.fromEntries(Object.entries(knobs).map(([name, value]) => [`config.liteConfig.${name}`, value])),
  ...Object.fromEntries(
    Object.entries(knobs).map(([name, value]) => [`config.liteConfig.perSource.supplier.${name}`, value]),
  ),
};
const ofBranding = Object.fromEntries(Object.entries(branding).map(([name, value]) => [`branding.${name}`, value]));

const pick = (project: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], project);
const send = (method: string, path: string, body: object, headers = credentials.organizationKey) =>
  service.call(method, path, { body, headers }) as Promise<{ status: number; body: ProjectReply & ErrorBody }>;

/** All of them in one body. */
function bodyOf(values: Readonly<Record<string, unknown>>): object {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let place = body;
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
    place[last] = value;
  }
  return body;
}

t.test('creation, provisioning and change each take every field of a project, and show it again', async (t) => {
  const { body: patched } = await send('POST', '/projects', { name: 'Patched' });
  const all = { ...fields, ...ofBranding };
  for (const [way, values, answer] of [
    ['creation', all, await send('POST', '/projects', { name: 'One', ...bodyOf({ ...all, externalId: 'one' }) })],
    ['provisioning', fields, await send('POST', '/projects/provision', { name: 'Two', ...bodyOf(fields) })],
    ['change', all, await send('PATCH', `/projects/${patched.projectId}`, bodyOf({ ...all, externalId: 'three' }))],
  ] as const) {
    t.ok(answer.status < 300, `${way}: ${answer.status} ${JSON.stringify(answer.body.issues)}`);
    const path = `/projects/${answer.body.projectId}`;
    const { body: read } = await service.call('GET', path, { headers: credentials.member });
    for (const [path, value] of Object.entries(values)) {
      if (path === 'externalId') t.type(pick(read, path), 'string');
      else for (const shown of [answer.body, read]) t.same(pick(shown, path), value, `${way}: ${path}`);
    }
  }
});

t.test('a new project answers who and whose it is, and when it was made', async (t) => {
  for (const way of ['/projects', '/projects/provision']) {
    const beforeMs = Date.now();
    const { body } = await send('POST', way, { name: 'New' });
    t.match(body, { projectId: /^proj_/, siteKey: body.projectId, name: 'New', externalId: null, description: null });
    t.equal(body.organizationId, service.bootstrap.organizationId);
    t.equal(new Date(body.createdAt).toISOString(), body.createdAt);
    const createdAtMs = Date.parse(body.createdAt);
    t.ok(beforeMs <= createdAtMs && createdAtMs <= Date.now());
  }
});

t.test('each tier unlocks the branding that the contract gives it, and no more', async (t) => {
  const unlocked: Readonly<Record<(typeof tiers)[number], readonly string[]>> = {
    free: ['enabled', 'companyName', 'primaryColor', 'backgroundColor'],
    starter: ['enabled', 'companyName', 'primaryColor', 'backgroundColor'],
    professional: [
      ...['enabled', 'companyName', 'primaryColor', 'backgroundColor'],
      ...['fontFamily', 'privacyUrl', 'supportEmail'],
    ],
    enterprise: Object.keys(branding),
  };
  const { adminUrl } = service.bootstrap;
  const { organizationId, projectId } = other;
  const owner = await dashboard('owner', organizationId);
  for (const tier of tiers) {
    const command = { command: 'set-tier', organizationId, tier } as const;
    t.match(await sendOperatorCommand(adminUrl, loadMasterKey(service.dataDirectory), command), { outcome: 'done' });
    const allowed = new Set<string>();
    const tryAll = async (): Promise<void> => {
      allowed.clear();
      for (const [name, value] of Object.entries(branding)) {
        const { status, body } = await send('PATCH', `/projects/${projectId}`, { branding: { [name]: value } }, owner);
        if (status === 200) allowed.add(name);
        else t.match(body, { code: 'TIER_REQUIRED', field: name, tier: brandingTiers[name as keyof Branding] });
      }
    };
    await waitUntil(async () => {
      await tryAll();
      return allowed.size === unlocked[tier].length;
    }, `the tier ${tier} is in force`);
    t.same([...allowed].sort(), [...unlocked[tier]].sort(), tier);
  }
});
