/** Bodies that configure refuse a misspelt name and say which was meant: a study without its suppliers would be open to everybody. */
import t from 'tap';
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import { creationExample } from '../../src/audience/examples.js';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
const { baseUrl, audienceUrl, projectId, organizationKey, siteUrl } = service.bootstrap;
const { audience, ...study } = creationExample;
const supplier = { name: 'North', sourceId: 'north' };
const url = 'https://hooks.example/in';

const cases: readonly (readonly [path: string, body: object, pointer: string, meant: string])[] = [
  [
    `${audienceUrl}/studies`,
    { ...study, audience: { ...audience, suplliers: ['n'] } },
    '/audience/suplliers',
    'suppliers',
  ],
  [`${audienceUrl}/studies`, { ...creationExample, verifications: {} }, '/verifications', 'verification'],
  [
    `${audienceUrl}/studies`,
    { ...creationExample, survey: { minimumSecond: 3 } },
    '/survey/minimumSecond',
    'minimumSeconds',
  ],
  [`${audienceUrl}/suppliers`, { ...supplier, postbackURL: url }, '/postbackURL', 'postbackUrl'],
  [`${baseUrl}/projects/${projectId}/webhooks`, { url, include_test: true }, '/include_test', 'includeTest'],
  [`${baseUrl}/projects/${projectId}/links`, { respondent: 'r-1' }, '/respondent', 'respondentId'],
  [`${baseUrl}/projects/${projectId}/api-keys`, { expiresIn: 30 }, '/expiresIn', 'expiresInDays'],
];

async function call(method: string, address: string, body: object) {
  const response = await fetch(address, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-api-key': organizationKey,
      authorization: `Bearer ${organizationKey}`,
      origin: new URL(siteUrl).origin,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, never>> };
}

t.test('a misspelt name in a body that configures is refused with the name that was meant', async (t) => {
  for (const [address, body, path, meant] of cases) {
    const message = new RegExp(`did you mean "${meant}"`);
    const answer = await call('POST', address, body);
    t.match(answer, { status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path, message }] } }, path);
  }
});

t.test('a misspelt name in a change is refused as well', async (t) => {
  const webhooks = `${baseUrl}/projects/${projectId}/webhooks`;
  const { body: webhook } = await call('POST', webhooks, { url });
  const { body: made } = await call('POST', `${audienceUrl}/studies`, creationExample);
  for (const [address, body] of [
    [`${webhooks}/${webhook['webhookId']}`, { event: [] }],
    [`${audienceUrl}/studies/${made['studyId']}`, { audience: { samplesize: 9 } }],
  ] as const)
    t.match(await call('PATCH', address, body), { status: 400, body: { code: 'VALIDATION_FAILED' } }, address);
});

t.test('a body of a respondent’s page ignores what it does not know', async (t) => {
  const { status } = await call('POST', `${baseUrl}/public/sessions`, {
    siteKey: projectId,
    locale: deviceOnlyExample.locale,
  });
  t.equal(status, 201);
});
