/** Limits of a key in provisioning: it never makes a key that it could not make by itself. */
import t from 'tap';
import type { MintedKeyReply } from '../../src/contract/api-key.js';
import type { ProvisioningReply } from '../../src/contract/project.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';

const { service, credentials } = await startOrganizations(t);
const { bootstrap } = service;
const post = <T>(
  path: string,
  body: unknown,
  headers: Headers,
): Promise<{ readonly status: number; readonly body: T }> => service.call('POST', path, { body, headers });
const provision = (body: object, headers: Headers = credentials.organizationKey) =>
  post<ProvisioningReply>('/projects/provision', body, headers);
const introspect = async (apiKey: string): Promise<number> =>
  (await service.call('GET', '/api-keys/current', { headers: keyHeaders(apiKey) })).status;

t.test('a key that could not make or rotate the issued key by itself does not by provisioning either', async (t) => {
  const first = await provision({ name: 'Reach', externalId: 'reach', issueApiKey: true });
  for (const [index, limited] of [{ isTest: true }, { scopes: ['projects:write'] }].entries()) {
    const path = `/organizations/${bootstrap.organizationId}/api-keys`;
    const { body: made } = await post<MintedKeyReply>(path, { name: 'Limited', ...limited }, credentials.owner);
    const again = { name: 'Reach', externalId: 'reach', issueApiKey: true };
    const refused = await provision({ ...again, rotateApiKey: true }, keyHeaders(made.apiKey));
    t.equal(refused.status, 403);
    t.match(refused.body, { code: 'INSUFFICIENT_SCOPE' });
    t.match(await provision(again, keyHeaders(made.apiKey)), { status: 200, body: { apiKeyIssued: false } });
    await provision({ name: 'Unissued', externalId: 'unissued' });
    const unmade = `unmade-${index}`;
    for (const externalId of ['unissued', unmade]) {
      const issuing = { name: 'Unissued', externalId, issueApiKey: true };
      t.match(await provision(issuing, keyHeaders(made.apiKey)), { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    }
    t.match(await provision({ name: 'Unissued', externalId: unmade }, keyHeaders(made.apiKey)), { status: 201 });
  }
  t.equal(await introspect(first.body.apiKey ?? ''), 200, 'the issued key is as it was');
});
