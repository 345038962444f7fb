/** Suppliers over HTTP: secrets shown once and sealed, what is refused, and studies that name them. */
import t from 'tap';
import { supplierExample, supplierPatchExample } from '../../src/audience/examples.js';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import { callerOf, creation } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, projectKey, organizationKey, projectId } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const create = async (over: object = {}): Promise<CreatedSupplierReply> =>
  (await call('POST', '/suppliers', { ...supplierExample, ...over })).body;

t.test('a supplier is made, read, changed, listed and deleted; its secret is in the first answer alone', async (t) => {
  const made = await create({ projectId });
  t.match(made, { ...supplierExample, projectId, entrySecret: /^[0-9a-f]{64}$/ });
  const path = `/suppliers/${made.supplierId}`;
  for (const at of [path, '/suppliers']) t.notMatch((await call('GET', at)).text, made.entrySecret);
  t.match((await call('GET', path)).body, { sourceId: 'north-panel', previousSecretUntil: null });
  const changed = await call('PATCH', path, supplierPatchExample);
  t.match(changed.body, { redirects: { ...supplierExample.redirects, ...supplierPatchExample.redirects } });
  t.equal((await call('PATCH', path, { name: null })).status, 400);
  t.match((await call('PATCH', path, { nmae: 'x' })).status, 400, 'a misspelt name is refused');
  const rotated = (await call('POST', `${path}/rotate-secret`)).body as { entrySecret: string };
  t.match(rotated, { entrySecret: /^[0-9a-f]{64}$/, previousSecretUntil: /Z$/ });
  t.not(rotated.entrySecret, made.entrySecret);
  t.equal((await call('POST', `${path}/rotate-secret`, { overlapHour: 0 })).status, 400, 'it would keep the old one');
  t.match((await call('POST', `${path}/rotate-secret`, { overlapHours: 0 })).body, { previousSecretUntil: null });
  t.equal((await call('DELETE', path)).status, 200);
  t.equal((await call('GET', path)).status, 404);
});

t.test('a supplier is given a project that was just made: nothing waits for a second connection', async (t) => {
  const { supplierId } = await create({ sourceId: 'late' });
  const made = (await service.call('POST', '/projects/provision', {
    body: { name: 'Late' },
    headers: { 'x-api-key': organizationKey },
  })) as { readonly body: { readonly projectId: string } };
  const { projectId } = made.body;
  const changed = await call('PATCH', `/suppliers/${supplierId}`, { projectId });
  t.match([changed.status, changed.body], [200, { projectId }], 'within the deadline of a call');
  t.equal((await call('PATCH', `/suppliers/${supplierId}`, { projectId: 'proj_none' })).status, 404);
});

t.test('what is wrong with a supplier is named', async (t) => {
  await create({ sourceId: 'taken' });
  const refusals: readonly (readonly [object, number, RegExp])[] = [
    [{ sourceId: 'taken' }, 409, /Another supplier has the `sourceId` .*taken/],
    [{ sourceId: 'line\nfeed' }, 400, /sourceId/],
    [{ sourceId: 'a', projectId: 'proj_none' }, 404, /project/],
    [{ sourceId: 'a', redirects: { done: 'https://a.example/' } }, 400, /done/],
    [{ sourceId: 'a', redirects: { complete: 'https://a.example/{who}' } }, 400, /unknown placeholder \{who\}/],
    [{ sourceId: 'a', redirects: { complete: 'javascript:alert(1)' } }, 400, /redirects\/complete/],
    [{ sourceId: 'a', postbackUrl: 'https://user:word@a.example/' }, 400, /postbackUrl/],
  ];
  for (const [over, status, message] of refusals) {
    const answer = await call('POST', '/suppliers', { ...supplierExample, ...over });
    t.equal(answer.status, status, JSON.stringify(over));
    t.match(answer.text, message);
  }
  t.equal((await call('GET', '/suppliers', undefined, projectKey)).status, 403, 'a project key reaches no supplier');
});

t.test('a study that names suppliers is signed and confirmed by default, any other open', async (t) => {
  const { supplierId } = await create({ sourceId: 'named' });
  const { survey: _none, ...asked } = creation('https://survey.example/');
  const study = async (audience: object): Promise<CreatedStudyReply> =>
    (await call('POST', '/studies', { ...asked, audience: { ...asked.audience, ...audience } })).body;
  const named = await study({ suppliers: [supplierId] });
  t.match(named, { audience: { suppliers: [supplierId], entry: 'signed' }, survey: { returns: 'confirmed' } });
  t.match(named, { surveyKey: /^[0-9a-f]{64}$/, survey: { minimumSeconds: 30 } });
  t.match(await study({}), { audience: { suppliers: [], entry: 'open' }, survey: { returns: 'browser' } });
  t.match(await study({ entry: 'signed' }), { audience: { suppliers: [], entry: 'signed' } });
  const path = `/studies/${named.studyId}`;
  t.notMatch((await call('GET', path)).text, 'surveyKey');
  const unknown = await call('PATCH', path, { audience: { suppliers: ['sup_none'] } });
  t.equal(unknown.status, 400);
  t.match(unknown.text, /not a supplier of this organization/);
  t.match((await call('PATCH', path, { audience: { suppliers: null } })).body, { audience: { suppliers: [] } });
  t.equal((await call('PATCH', path, { audience: { entry: 'open' } })).status, 400, 'entry is settled');
});

t.test('a study whose supplier was deleted can still be changed', async (t) => {
  const [kept, gone] = [await create({ sourceId: 'kept' }), await create({ sourceId: 'gone' })];
  const asked = creation('https://survey.example/');
  const audience = { ...asked.audience, suppliers: [kept.supplierId, gone.supplierId] };
  const { studyId } = (await call('POST', '/studies', { ...asked, audience })).body as CreatedStudyReply;
  t.equal((await call('DELETE', `/suppliers/${gone.supplierId}`)).status, 200);
  const change = (body: object) => call('PATCH', `/studies/${studyId}`, body);
  t.match(await change({ name: 'New' }), { status: 200, body: { name: 'New' } });
  t.match(await change({ audience: { suppliers: audience.suppliers } }), { status: 200 }, 'the list that it has');
  t.match(await change({ audience: { suppliers: [kept.supplierId] } }), { status: 200 });
});
