/** A project that was read can be written back: it changes nothing, now or later. */
import fc from 'fast-check';
import t from 'tap';
import { ProjectConfig, type ProjectReply } from '../../src/contract/project.js';
import { Branding, ScoreModeConfig, Thresholds } from '../../src/contract/project-parts.js';
import { anyOf } from '../helpers/any-of-schema.js';
import { keyHeaders, startOrganizations } from '../helpers/organizations.js';

const { service, credentials, other } = await startOrganizations(t);
const headers = credentials.organizationKey;

interface Answer {
  readonly status: number;
  readonly body: ProjectReply;
}
const create = async (name: string): Promise<string> =>
  ((await service.call('POST', '/projects/provision', { body: { name }, headers })).body as ProjectReply).projectId;
const read = async (projectId: string): Promise<ProjectReply> =>
  (await service.call('GET', `/projects/${projectId}`, { headers })).body;
const patch = (projectId: string, body: object, as = headers): Promise<Answer> =>
  service.call('PATCH', `/projects/${projectId}`, { body, headers: as });

/** The fields by which projects are compared: all but their identity. */
const settingsOf = ({ projectId: _p, siteKey: _s, probeKey: _k, createdAt: _c, ...settings }: ProjectReply) => settings;

const origins = fc.uniqueArray(fc.constantFrom('https://a.example', '*.b.example', 'localhost:*'));
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const edge = fc.integer({ min: 0, max: 100 });
const fieldsOf = (schema: object) =>
  anyOf(schema, {
    wild: false,
    named: {
      allowedDomains: origins,
      liteConfig: fc.record(
        {
          reviewLow: fc.integer({ min: 0, max: 40 }),
          blockThreshold: fc.integer({ min: 60, max: 100 }),
          noProbeRiskScore: edge,
          shadow: fc.record(
            {
              blockThreshold: fc.integer({ min: 60, max: 100 }),
              newUserPosture: fc.constantFrom('neutral', 'review_lean'),
              perSource: fc.dictionary(fc.constantFrom('a', 'b/c'), fc.record({ noProbeRiskScore: edge })),
            },
            { requiredKeys: [] },
          ),
          geoRiskWeights: fc.dictionary(fc.constantFrom('DE', 'FR'), fc.double({ min: 0.5, max: 2, noNaN: true })),
          perSource: fc.dictionary(
            fc.constantFrom('a', 'b/c', 'constructor'),
            fc.record(
              {
                reviewLow: fc.integer({ min: 0, max: 40 }),
                stepUpEnabled: fc.boolean(),
                dispositiveSignals: fc.subarray(['confirmed_clawback', 'device_farm']),
                geoRiskWeights: fc.dictionary(fc.constantFrom('DE', 'US'), fc.constantFrom(0.5, 1, 2)),
              },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
      deduplication: fc.record(
        { scope: fc.constant('project'), perDataCollector: fc.boolean(), reEligibilityDays: fc.constantFrom(null, 7) },
        { requiredKeys: [] },
      ),
      'monitoring.question': fc.record({ maxPastes: fc.integer({ min: 0, max: 9 }) }, { requiredKeys: [] }),
      blockOnFraudSignals: fc.subarray(['screen_detected', 'virtual_camera', 'webdriver']),
      redirectPassUrl: fc.constant('https://a.example/pass'),
      redirectFailUrl: fc.constant('https://a.example/fail'),
      primaryColor: fc.constant('#abc'),
      backgroundColor: fc.constant('#123456'),
      fontFamily: fc.constant('Inter'),
      supportEmail: fc.constant('help@a.example'),
      privacyUrl: fc.constant('https://a.example/privacy'),
      logoUrl: fc.constant('https://a.example/logo.png'),
    },
  });
/** Without the names that every object has: project bodies are strict. */
const own = (schema: { readonly properties: object }) =>
  fieldsOf(schema).map((value) =>
    Object.fromEntries(Object.entries(value as object).filter(([name]) => Object.hasOwn(schema.properties, name))),
  );
const anyChange = fc.record(
  {
    description: fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\u0000', '')),
    verificationMode: fc.constantFrom('block', 'score'),
    config: own(ProjectConfig),
    customThresholds: fc.oneof(own(Thresholds), fc.record({ liveness: unit }, { requiredKeys: [] })),
    scoreModeConfig: own(ScoreModeConfig),
    userDisclosure: fc.constantFrom('NEUTRAL', 'TRANSPARENT'),
    branding: own(Branding),
  },
  { requiredKeys: [] },
);

t.test(
  'PATCH of what GET said changes nothing, and whatever is changed later has the effect it had without',
  async (t) => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(anyChange, anyChange, async (first, later) => {
        const name = `Project ${(made += 1)}`;
        const [one, two] = [await create(name), await create(name)];
        for (const id of [one, two]) {
          const { status, body } = await patch(id, first);
          if (status !== 200) throw new Error(JSON.stringify(body));
        }
        const before = await read(two);
        const back = await patch(two, before);
        t.equal(back.status, 200, JSON.stringify(back.body));
        t.same(await read(two), before, 'it changes nothing');
        const answers = [await patch(one, later), await patch(two, later)];
        t.same(
          answers.map(({ status }) => status),
          [200, 200],
          JSON.stringify(answers[0]?.body),
        );
        t.same(settingsOf(await read(two)), settingsOf(await read(one)), 'nor does it hold fast what was inherited');
      }),
      { numRuns: 25 },
    );
  },
);

t.test('thresholds and sources read as they were set, with what is in force under effective', async (t) => {
  const id = await create('Inherits');
  await patch(id, {
    customThresholds: { uniqueness: 0.9 },
    config: { liteConfig: { reviewLow: 30, perSource: { s: { blockThreshold: 70 } } } },
  });
  const shown = await read(id);
  t.same(shown.customThresholds, { uniqueness: 0.9 });
  t.same(shown.config.liteConfig?.perSource, { s: { blockThreshold: 70 } });
  t.same(shown.effective.thresholds, { liveness: 0.65, uniqueness: 0.9, authenticity: 0.7, screenDetection: 0.6 });
  t.match(shown.effective.liteConfig.perSource, { s: { blockThreshold: 70, reviewLow: 30 } });
  await patch(id, shown);
  const [a, b] = [['https://a.example'], ['https://b.example']];
  await patch(id, { ...(await read(id)), allowedOrigins: a });
  t.same((await read(id)).config.allowedDomains, a, 'of two names of one list the one that was changed counts');
  const moved = await read(id);
  await patch(id, { ...moved, config: { ...moved.config, allowedDomains: b } });
  t.same((await read(id)).allowedOrigins, b);
  t.equal(
    (await patch(id, { allowedOrigins: a, config: { allowedDomains: [] } })).status,
    400,
    'both changed: neither',
  );
  const { body } = await patch(id, { config: { livenessThreshold: 0.99, liteConfig: { reviewLow: 20 } } });
  t.equal(body.effective.thresholds.liveness, 0.99, 'later changes take effect');
  t.equal(body.effective.liteConfig.perSource?.['s']?.reviewLow, 20, 'and a source still inherits');
});

t.test('a read-only name comes back as it was read, or is refused; a tier that ended keeps its branding', async (t) => {
  const id = await create('Read-only');
  for (const [name, value] of [
    ['projectId', 'proj_other'],
    ['createdAt', '2026-01-01T00:00:00.000Z'],
    ['effective', { thresholds: { liveness: 0.1 } }],
  ] as const)
    t.match(await patch(id, { [name]: value }), {
      status: 400,
      body: { issues: [{ path: `/${name}`, message: /read-only/ }] },
    });
  const foreign = keyHeaders(other.organizationKey);
  const branded = await patch(other.projectId, { branding: { companyName: 'C' } }, foreign);
  t.equal(branded.status, 200);
  t.equal((await patch(other.projectId, branded.body, foreign)).status, 200);
});
