/** Contributions are there with the header and a key that allows it, and in no other case. */
import t from 'tap';
import type { MintedKeyReply } from '../../src/contract/api-key.js';
import type { SessionReply } from '../../src/contract/session.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';
import { createPatch } from '../helpers/project-fields.js';
import { automated, createSession, verify } from '../helpers/verifications.js';

const { service, credentials } = await startOrganizations(t);
const { projectId, organizationId } = service.bootstrap;
const patch = createPatch(t, service);
const ask = { 'x-vh-diagnostics': '1' };

const mint = async (path: string, body: object): Promise<MintedKeyReply> =>
  (await service.call('POST', `${path}/api-keys`, { body, headers: credentials.owner })).body;
const start = async (headers: Headers, body: object = {}): Promise<SessionReply> => {
  const answer = await service.call('POST', '/sessions', { body, headers });
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};
/** How many contributions a verification answers with; null where risk is null, undefined where there is none. */
const count = async (session: SessionReply, headers: Headers = ask): Promise<number | null | undefined> => {
  const { risk } = (await verify(service, session, automated, headers)).body;
  return risk == null ? risk : risk.contributions.length;
};

t.test('the switch of the key that made the session decides, of a project key and of a test key', async (t) => {
  await patch({ config: { riskAggregator: 'on' } });
  for (const isTest of [false, true])
    for (const diagnosticsEnabled of [false, true]) {
      const key = keyHeaders((await mint(`/projects/${projectId}`, { diagnosticsEnabled, isTest })).apiKey);
      const found = (await count(await start(key))) ?? 0;
      t.equal(found > 0, diagnosticsEnabled, `test ${isTest}, switch ${diagnosticsEnabled}, with the header`);
      t.equal(await count(await start(key), {}), 0, 'without the header there are none');
    }
});

t.test('an organization key has the switch too, and a replacement inherits it', async (t) => {
  const path = `/organizations/${organizationId}`;
  for (const diagnosticsEnabled of [false, true]) {
    const made = await mint(path, { diagnosticsEnabled });
    const rotated = await service.call('POST', `${path}/api-keys/${made.keyId}/rotate`, { headers: credentials.owner });
    const { apiKey, ...record } = rotated.body as MintedKeyReply;
    t.equal(record.diagnosticsEnabled, diagnosticsEnabled);
    const session = await start(keyHeaders(apiKey), { siteKey: projectId });
    t.equal(((await count(session)) ?? 0) > 0, diagnosticsEnabled);
  }
});

t.test('a retry goes by the key that retries, and a session of a page never has any', async (t) => {
  const [on, off] = [
    keyHeaders((await mint(`/projects/${projectId}`, { diagnosticsEnabled: true })).apiKey),
    keyHeaders((await mint(`/projects/${projectId}`, {})).apiKey),
  ];
  for (const [first, second, allowed] of [
    [off, on, true],
    [on, off, false],
  ] as const) {
    const parent = await start(first);
    await verify(service, parent, automated);
    const retry = await service.call('POST', `/sessions/${parent.sessionId}/retry`, { body: {}, headers: second });
    t.equal(((await count(retry.body)) ?? 0) > 0, allowed);
  }
  t.equal(await count(await createSession(service)), 0);
});

t.test('the switch shows nothing of a risk that the project does not show', async (t) => {
  const key = keyHeaders((await mint(`/projects/${projectId}`, { diagnosticsEnabled: true })).apiKey);
  await patch({ config: { riskAggregator: 'shadow' } });
  t.equal(await count(await start(key)), null);
  await patch({ config: { riskAggregator: 'off' } });
  t.equal(await count(await start(key)), undefined);
});
