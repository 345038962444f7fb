/** Suppliers that are renamed or deleted while a study runs: lists, disputes and changes of the study keep to who brought a respondent. */
import t from 'tap';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply, RespondentReply, StudyReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import type { DeliveryReply } from '../../src/contract/webhook.js';
import { callerOf, creation, enter, inviteOne, openEntry, placeAt, startSurvey } from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const service = await startTestService(t, {
  VH_LOG_LEVEL: 'warn',
  VH_TRUSTED_PROXIES: '127.0.0.1',
  VH_WEBHOOK_ALLOW_PRIVATE: 'on',
});
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);

const makeSupplier = async (sourceId: string): Promise<CreatedSupplierReply> =>
  (await call('POST', '/suppliers', { name: sourceId, sourceId })).body;
const rename = ({ supplierId }: CreatedSupplierReply, sourceId: string) =>
  call('PATCH', `/suppliers/${supplierId}`, { sourceId });
const field = async (
  suppliers: readonly CreatedSupplierReply[],
  over: Partial<StudyCreation['audience']> = {},
): Promise<CreatedStudyReply> => {
  const audience = {
    ...{ countries: ['DE'], language: 'en', sample_size: 20, ...over },
    suppliers: suppliers.map(({ supplierId }) => supplierId),
  };
  const study = (await call('POST', '/studies', creation(survey.url, { audience }))).body as CreatedStudyReply;
  await call('POST', `/studies/${study.studyId}/launch`);
  return study;
};
let visitors = 0;
const newBrowser = () => ({
  cookie: `vh_device=${String(++visitors).padStart(32, '0')}`,
  address: `91.85.0.${visitors}`,
});
const invite = (study: StudyReply, { supplierId }: CreatedSupplierReply, rid: string): Promise<string> =>
  inviteOne(call, study, supplierId, { rid });
/** A respondent of the supplier, who completes. Answers the place. */
async function complete(study: StudyReply, supplier: CreatedSupplierReply, rid: string): Promise<string> {
  const { studyId } = study;
  const { location } = await openEntry(await invite(study, supplier, rid), newBrowser());
  const place = placeAt(location);
  await call('POST', `/studies/${studyId}/returns`, { place, status: 'complete' });
  return place;
}
const dispute = async ({ studyId }: StudyReply, rows: readonly object[]): Promise<object> =>
  (await call('POST', `/studies/${studyId}/disputes`, { rows })).body;

t.test('lists and exports name the supplier by its id, whatever it is called now', async (t) => {
  const [first, second] = [await makeSupplier('one'), await makeSupplier('two')];
  const study = await field([first, second]);
  const before = await complete(study, first, 'same');
  await rename(first, 'one-new');
  await rename(second, 'one');
  const after = await complete(study, second, 'same');
  const { respondents } = (await call('GET', `/studies/${study.studyId}/respondents`)).body as {
    readonly respondents: readonly RespondentReply[];
  };
  t.strictSame(
    new Map(respondents.map(({ sessionId, sourceId, supplierId }) => [sessionId, [sourceId, supplierId]])),
    new Map([
      [after, ['one', second.supplierId]],
      [before, ['one', first.supplierId]],
    ]),
  );
  const { text } = await call('GET', `/studies/${study.studyId}/export`);
  t.ok(text.split('\r\n')[0]?.split(',').includes('supplierId'));
  t.match(
    await dispute(study, [{ rid: 'same', sourceId: 'one', reason: 'fit' }]),
    { ambiguous: 1 },
    'both were sent so',
  );
  t.match(await dispute(study, [{ rid: 'same', sourceId: 'one-new', reason: 'fit' }]), {
    ...{ reversed: 1, rows: [{ place: before, result: 'reversed' }] },
  });
  t.match(await dispute(study, [{ rid: 'same', sourceId: 'two', reason: 'fit' }]), { unknown: 1 });
});

t.test('a study keeps a supplier that was deleted, when another one is added', async (t) => {
  const [gone, added] = [await makeSupplier('gone'), await makeSupplier('added')];
  const study = await field([gone]);
  const place = await complete(study, gone, 'left');
  t.equal((await call('DELETE', `/suppliers/${gone.supplierId}`)).status, 200);
  const patch = (suppliers: readonly string[]) =>
    call('PATCH', `/studies/${study.studyId}`, { audience: { suppliers } });
  const both = [gone.supplierId, added.supplierId];
  t.match(await patch(both), { status: 200, body: { audience: { suppliers: both } } });
  t.match(await patch([...both, 'sup_none']), { status: 400, body: { issues: [{ path: '/audience/suppliers/2' }] } });
  t.match(await patch([added.supplierId]), { status: 200 });
  t.match(
    await patch(both),
    { status: 400, body: { issues: [{ path: '/audience/suppliers/0' }] } },
    'taken out is gone',
  );
  t.match(await dispute(study, [{ rid: 'left', sourceId: 'gone', reason: 'fit' }]), { rows: [{ place }] });
});

t.test('who holds a place of an open link goes on when the supplier is renamed', async (t) => {
  const supplier = await makeSupplier('before');
  const other = await makeSupplier('rival');
  const study = await field([supplier, other], { entry: 'open' });
  const respondent = { rid: 'held', ...newBrowser() };
  const { location } = await enter(study, { ...respondent, src: 'before' });
  await rename(supplier, 'after');
  const { location: again } = await enter(study, { ...respondent, src: 'after' });
  t.equal(placeAt(again), placeAt(location));
  t.match(await enter(study, { ...respondent, src: 'rival' }), { location: null }, 'another supplier');
  await rename(other, 'before');
  t.match(await enter(study, { ...respondent, src: 'before' }), { location: null }, 'another that is called so now');
});

t.test('who holds a place goes on when the supplier is taken out or deleted, and nobody else enters', async (t) => {
  for (const [name, leave] of [
    [
      'removed',
      (study: StudyReply, _leaving: CreatedSupplierReply, stays: CreatedSupplierReply) =>
        call('PATCH', `/studies/${study.studyId}`, { audience: { suppliers: [stays.supplierId] } }),
    ],
    [
      'deleted',
      (_study: StudyReply, { supplierId }: CreatedSupplierReply) => call('DELETE', `/suppliers/${supplierId}`),
    ],
    [
      'made again',
      async (_study: StudyReply, { supplierId, sourceId }: CreatedSupplierReply) => {
        const gone = await call('DELETE', `/suppliers/${supplierId}`);
        await makeSupplier(sourceId);
        return gone;
      },
    ],
  ] as const)
    for (const entry of ['signed', 'open'] as const) {
      const [leaving, stays] = [await makeSupplier(`${name}-${entry}`), await makeSupplier(`${name}-${entry}-stays`)];
      const study = await field([leaving, stays], { entry });
      const linkOf = async (rid: string): Promise<string> =>
        entry === 'signed'
          ? invite(study, leaving, rid)
          : `${study.entryUrl}?${new URLSearchParams({ rid, src: `${name}-${entry}` }).toString()}`;
      const [held, unused, browser] = [await linkOf('held'), await linkOf('new'), newBrowser()];
      const { location } = await openEntry(held, browser);
      t.equal((await leave(study, leaving, stays)).status, 200);
      t.equal(placeAt((await openEntry(held, browser)).location), placeAt(location), `${name} ${entry}`);
      t.match(await openEntry(unused, newBrowser()), { location: null, title: 'This link is not valid' });
      if (name !== 'removed')
        t.match(await openEntry(held, newBrowser()), { location: null }, 'another browser proves nothing');
      const place = placeAt(location);
      t.match((await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' })).body, {
        completion: 'confirmed',
      });
      const unsent = name === 'removed' ? 0 : 1;
      await waitUntil(async () => {
        const { totals } = (await call('GET', `/studies/${study.studyId}/report?by=supplier`)).body as StudyReport;
        return totals.completed === 1 && totals.unsent === unsent;
      }, `${unsent} completes are unsent`);
    }
});

t.test('who holds a place goes on by links of both names of a supplier that was renamed, then deleted', async (t) => {
  const supplier = await makeSupplier('old name');
  const study = await field([]);
  const browser = newBrowser();
  const before = await invite(study, supplier, 'held');
  const place = placeAt((await openEntry(before, browser)).location);
  await rename(supplier, 'new name');
  const after = await invite(study, supplier, 'held');
  t.equal(placeAt((await openEntry(after, browser)).location), place);
  await call('DELETE', `/suppliers/${supplier.supplierId}`);
  for (const link of [before, after]) {
    const { location } = await openEntry(link, browser);
    t.equal(location === null ? null : placeAt(location), place, new URL(link).searchParams.get('src') ?? '');
    t.match(await openEntry(link, newBrowser()), { location: null });
  }
});

t.test('a postback that still waits when its supplier is deleted is unsent, and one that arrived is not', async (t) => {
  const receiver = await startReceiver(t);
  const supplier = (
    await call('POST', '/suppliers', { name: 'leaving', sourceId: 'leaving', postbackUrl: receiver.url })
  ).body as CreatedSupplierReply;
  const study = await field([supplier]);
  const readUnsent = async (): Promise<number> =>
    ((await call('GET', `/studies/${study.studyId}/report?by=supplier`)).body as StudyReport).totals.unsent;
  const readStates = async (): Promise<readonly string[]> =>
    (
      (await call('GET', `/suppliers/${supplier.supplierId}/deliveries`)).body as { deliveries: DeliveryReply[] }
    ).deliveries.map(({ state }) => state);
  await complete(study, supplier, 'arrived');
  await waitUntil(async () => (await readStates()).join() === 'SUCCEEDED', 'a postback arrived');
  receiver.answer((_received, response) => void response.writeHead(500).end());
  await complete(study, supplier, 'waits');
  await waitUntil(async () => (await readStates()).includes('FAILED'), 'another is tried again');
  t.equal(await readUnsent(), 0);
  t.equal((await call('DELETE', `/suppliers/${supplier.supplierId}`)).status, 200);
  t.equal(await readUnsent(), 1);
});
