/** Whom the consent names, from the settings of the organization and the branding of the project, and what warns where nobody can be asked. */
import t from 'tap';
import type { PublicConfig } from '../../src/contract/project.js';
import { keyHeaders, startOrganizations } from '../helpers/organizations.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const { service, credentials, other } = await startOrganizations(t, { VH_SESSION_RETENTION_DAYS: '90' });
const { siteKey, projectId, adminUrl } = service.bootstrap;
const settings = '/organizations/me/settings';
const privacyUrl = 'https://panel.example/privacy';
const call = async (method: string, path: string, body?: unknown, headers = credentials.organizationKey) =>
  service.call(method, path, { ...(body === undefined ? {} : { body }), headers });
const set = (consent: object) => call('PATCH', settings, { consent });
const patch = async (body: object) => t.equal((await call('PATCH', `/projects/${projectId}`, body)).status, 200);
const terms = async () => (await service.call('GET', `/projects/${siteKey}/public-config`)).body as PublicConfig;
const readiness = async () =>
  (await (await fetch(`${adminUrl}/readyz`)).json()) as { status: string; warnings?: string[] };

t.test(
  'by default the organization answers for the data, and three places warn that no privacy page is set',
  async (t) => {
    t.match(await terms(), {
      consent: {
        controller: 'Demo organization',
        privacyUrl: null,
        comparedWith: 'own',
        faceReuse: true,
        reEligibilityDays: null,
        keptDays: 90,
      },
      warnings: ['consent_incomplete'],
    });
    t.match((await call('GET', `/projects/${projectId}`)).body, { warnings: ['consent_incomplete'] });
    for (const path of ['/projects/provision', '/projects']) {
      const made = await call('POST', path, { name: `Made at ${path}`, externalId: path });
      t.match(made, { status: 201, body: { warnings: ['consent_incomplete'] } }, path);
    }
    t.match(await readiness(), { status: 'ok', warnings: [/^consent_incomplete: \d+ organizations/] });
  },
);

t.test('settings of any tier name controller and privacy page; null takes them back', async (t) => {
  const answer = await set({ controller: 'Panel Ltd', privacyUrl });
  t.match(answer, { status: 200, body: { consent: { controller: 'Panel Ltd', privacyUrl } } });
  t.match(await terms(), { consent: { controller: 'Panel Ltd', privacyUrl }, warnings: [] });
  const project = (await call('GET', `/projects/${projectId}`)).body as Record<string, unknown>;
  t.strictSame(project['warnings'], []);
  t.equal((await call('PATCH', `/projects/${projectId}`, project)).status, 200, 'what was read can be sent back');
  t.match(await call('PATCH', settings, { allowedDomains: [] }), { body: { consent: { controller: 'Panel Ltd' } } });
  t.match(await set({ controller: null }), { body: { consent: { controller: 'Demo organization', privacyUrl } } });
  const free = await call('PATCH', settings, { consent: { privacyUrl } }, keyHeaders(other.organizationKey));
  t.match(free, { status: 200, body: { consent: { privacyUrl } } }, 'the free tier too');
});

t.test('an address that is none is refused by its place', async (t) => {
  for (const bad of ['javascript:alert(1)', '/privacy', 'https://user:secret@panel.example/'])
    t.match(await set({ privacyUrl: bad }), { status: 400, body: { issues: [{ path: '/consent/privacyUrl' }] } }, bad);
  t.match(await set({ controller: '' }), { status: 400 });
  t.match(await set({ phone: '1' }), { status: 400 });
});

t.test('a project’s branding comes first', async (t) => {
  const own = 'https://nordlicht.example/privacy';
  await patch({ branding: { companyName: 'Nordlicht', privacyUrl: own } });
  t.match(await terms(), { consent: { controller: 'Nordlicht', privacyUrl: own } });
  await patch({ branding: { enabled: false } });
  t.match(await terms(), { consent: { controller: 'Demo organization', privacyUrl } }, 'and not where it is off');
  await patch({ branding: null });
});

t.test('window and pictures are the project’s', async (t) => {
  t.match(await terms(), { consent: { pictures: false } });
  await patch({ config: { deduplication: { reEligibilityDays: 30 }, evidenceFrames: 'sampled' } });
  t.match(await terms(), { consent: { comparedWith: 'own', reEligibilityDays: 30, pictures: true } });
  await patch({ config: { deduplication: { faceReuse: 'off' } } });
  t.match(await terms(), { consent: { faceReuse: false } });
  await patch({ config: { deduplication: null, evidenceFrames: null } });
});

t.test('readiness stops warning once every organization with a project has a privacy page', async () => {
  await waitUntil(async () => (await readiness()).warnings === undefined, 'no warning is left');
});
