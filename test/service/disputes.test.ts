/** Disputes, rejections by outcome events, and the report of a study, over HTTP. */
import t from 'tap';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import type { DisputeReply } from '../../src/contract/study-disputes.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import type { DeliveryReply } from '../../src/contract/webhook.js';
import {
  callerOf,
  creation,
  inviteOne,
  open,
  openEntry,
  placeAt,
  returnUrl,
  startSurvey,
} from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const receiver = await startReceiver(t);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { audienceUrl, baseUrl, organizationKey, projectKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const api = callerOf(baseUrl, projectKey);
const survey = await startSurvey(t, () => null);
const postbackUrl = `${receiver.url}/pb?place={place}&status={status}`;
const supplier = (await call('POST', '/suppliers', { name: 'P', sourceId: 'p', postbackUrl }))
  .body as CreatedSupplierReply;
const study = (
  await call(
    'POST',
    '/studies',
    creation(survey.url, {
      audience: {
        ...{ countries: ['DE'], language: 'en', sample_size: 20, suppliers: [supplier.supplierId] },
        quotas: [{ name: 'all', limit: 20 }],
        limits: { perAddress: 100 },
      },
    }),
  )
).body as CreatedStudyReply;
const path = `/studies/${study.studyId}`;
await call('POST', `${path}/launch`);

/** The address that the respondent was sent to: the survey, if they got a place. */
const enterAs = async (rid: string): Promise<string | null> =>
  (await openEntry(await inviteOne(call, study, supplier.supplierId, { rid, country: 'DE' }))).location;

/** The place of a respondent in the survey. */
const interview = async (rid: string): Promise<string> => placeAt(await enterAs(rid));

async function complete(rid: string): Promise<string> {
  const place = await interview(rid);
  const reported = await call('POST', `${path}/returns`, { place, status: 'complete' }, study.surveyKey);
  if (reported.status !== 200) throw new Error(reported.text);
  return place;
}

const read = async () => (await call('GET', path)).body as CreatedStudyReply;
const reportOf = async (by: string) => (await call('GET', `${path}/report?by=${by}`)).body as StudyReport;
const figures = async () => ({
  progress: (await read()).progress,
  suppliers: await reportOf('supplier'),
  days: await reportOf('day'),
});
const dispute = async (rows: readonly object[]) =>
  (await call('POST', `${path}/disputes`, { rows })).body as DisputeReply;
const respondentOf = async (place: string): Promise<RespondentReply | undefined> =>
  ((await call('GET', `${path}/respondents`)).body as { respondents: readonly RespondentReply[] }).respondents.find(
    ({ sessionId }) => sessionId === place,
  );
/** The line of an export about a place; undefined if there is none. */
const exported = async (place: string, query = ''): Promise<RespondentReply | undefined> =>
  (await call('GET', `${path}/export?format=ndjson${query}`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RespondentReply)
    .find(({ sessionId }) => sessionId === place);
const sentOf = (place: string): readonly string[] =>
  receiver.received.flatMap(({ path }) => (path.includes(place) ? [/status=(\w+)/.exec(path)?.[1] ?? ''] : []));
const outcomesOf = async (place: string) =>
  (
    (await api('GET', `/lite/sessions/${place}`)).body as {
      outcomes: readonly { type: string; reasonClass: string | null }[];
    }
  ).outcomes;

t.test(
  'a disputed complete is reversed, told to scoring and the supplier once, and a withdrawal undoes it',
  async (t) => {
    const place = await complete('a');
    await waitUntil(() => sentOf(place).includes('complete'), 'the complete was posted back');
    const before = await figures();
    const answer = await dispute([{ rid: 'a', sourceId: 'p', reason: 'fraud', note: 'bot' }]);
    t.match(answer, { received: 1, reversed: 1, rows: [{ rid: 'a', place, result: 'reversed' }] });
    t.match(await dispute([{ place, reason: 'fraud' }]), { reversed: 0, already: 1 });
    t.match((await figures()).progress, {
      completed: 0,
      verified: 0,
      reversed: 1,
      places_left: 20,
      quotas: [{ held: 0 }],
    });
    const reversed = { completion: 'reversed', refusedFor: 'fraud', reversedBy: 'dispute', reversalNote: 'bot' };
    t.match(await respondentOf(place), reversed);
    t.match(await exported(place), { ...reversed, status: 'terminated' }, 'the export tells it, unasked');
    t.equal(await exported(place, '&status=completed'), undefined);
    t.match(await outcomesOf(place), [{ type: 'reconciliation', reasonClass: 'fraud' }, { type: 'complete' }]);
    await waitUntil(() => sentOf(place).includes('reversed'), 'the reversal was posted back');
    t.same(sentOf(place), ['complete', 'reversed']);
    const withdrawn = await call('DELETE', `${path}/disputes/${place}`);
    t.match(
      [withdrawn.status, withdrawn.body],
      [200, { place, completion: 'confirmed', status: 'completed', changed: true }],
    );
    t.match(await exported(place), {
      ...{ status: 'completed', completion: 'confirmed', refusedFor: null, reversedBy: null },
    });
    t.same(await figures(), before);
    t.same(
      (await outcomesOf(place)).map(({ type }) => type).sort(),
      ['complete', 'custom', 'reconciliation'],
      'the rejection is retracted',
    );
    await waitUntil(() => sentOf(place).length === 3, 'the withdrawal was posted back');
    t.same(sentOf(place), ['complete', 'reversed', 'complete']);
  },
);

t.test('a supplier is told of no reversal of a complete that was never told', async (t) => {
  const location = await enterAs('unconfirmed');
  await open(returnUrl(location, 'complete'));
  const place = placeAt(location);
  t.match(await dispute([{ place, reason: 'quality' }]), { reversed: 1 });
  const later = await complete('later');
  await waitUntil(() => sentOf(later).includes('complete'), 'a later status was posted back');
  t.same(sentOf(place), []);
});

t.test('a table of disputes is taken like JSON; what is wrong in it is named', async (t) => {
  const place = await complete('=b');
  const send = async (text: string, type = 'text/csv') => {
    const response = await fetch(`${audienceUrl}${path}/disputes`, {
      ...{ method: 'POST', body: text },
      headers: { authorization: `Bearer ${organizationKey}`, 'content-type': type },
    });
    return { status: response.status, body: (await response.json()) as object };
  };
  t.match(await send(`rid,reason,note\r\n'=b,quality,"slow, and wrong"\r\nnobody,fit,\r\n`), {
    status: 200,
    body: {
      received: 2,
      reversed: 1,
      unknown: 1,
      rows: [
        { place, result: 'reversed' },
        { place: null, result: 'unknown' },
      ],
    },
  });
  const [plain, quoted] = [await complete('-abc'), await complete("'-own")];
  t.match(await send("rid,reason\n'-abc,fit\n'-own,fit\n''-own,fit\n", 'Text/CSV; charset=utf-8'), {
    status: 200,
    body: {
      rows: [
        { place: plain, rid: '-abc', result: 'reversed' },
        { place: quoted, rid: "'-own", result: 'reversed' },
        { place: quoted, result: 'already' },
      ],
    },
  });
  await complete('-own');
  t.match(await send("rid,reason\n'-own,fit\n''-own,fit\n"), {
    body: {
      ambiguous: 1,
      rows: [
        { rid: "'-own", place: null, result: 'ambiguous' },
        { place: quoted, result: 'already' },
      ],
    },
  });
  t.match(await dispute([{ rid: "'-abc", reason: 'fit' }]), { unknown: 1 }, 'JSON names a rid as it is');
  t.match(await send('rid,reason\nx,dislike\n'), { status: 400, body: { issues: [{ path: '/rows/0/reason' }] } });
  t.match(await send('rid,reason,reason\nx,quality,fraud\n'), { status: 400, body: { code: 'VALIDATION_FAILED' } });
  t.match(await send('rid,cause\nx,fraud\n'), { status: 400, body: { message: /columns "rid", "cause"\. Send rid/ } });
  t.match(await send('rid,reason\n,fraud\n'), { status: 400, body: { issues: [{ path: '/rows/0' }] } });
  t.match(await send('rid\n"x'), { status: 400, body: { code: 'VALIDATION_FAILED' } });
  const many = Array.from({ length: 10_001 }, (_, n) => ({ rid: `r${n}`, reason: 'fit' }));
  t.match(await call('POST', `${path}/disputes`, { rows: many }), { status: 400 });
  t.match(await call('POST', '/studies/study_none/disputes', { rows: many.slice(0, 1) }), { status: 404 });
});

t.test(
  'an outcome event on a place reverses its complete, and its retraction restores it, in either order',
  async (t) => {
    const place = await complete('c');
    const before = await figures();
    const rejected = {
      sessionId: place,
      type: 'buyer_reject',
      occurredAt: '2026-06-01T12:00:00Z',
      reasonClass: 'fraud',
    };
    const retraction = {
      ...{ sessionId: place, type: 'custom', occurredAt: '2026-06-02T12:00:00Z' },
      detail: { name: 'retraction', of: { type: 'buyer_reject', occurredAt: rejected.occurredAt } },
    };
    const post = async (...events: object[]): Promise<number> => (await api('POST', '/lite/events', { events })).status;
    for (let times = 0; times < 2; times++) t.equal(await post(rejected), 200);
    t.match((await figures()).progress, {
      reversed: before.progress.reversed + 1,
      completed: before.progress.completed - 1,
    });
    t.match(await call('DELETE', `${path}/disputes/${place}`), { status: 409, body: { code: 'CONFLICT' } });
    for (let times = 0; times < 2; times++) t.equal(await post(retraction), 200);
    t.same(await figures(), before);
    t.equal(await post({ ...rejected, type: 'complete' }, { ...rejected, type: 'dq', reasonClass: 'fit' }), 200);
    t.same(await figures(), before, 'other outcomes reject no complete');
    const { status } = await api('POST', `/lite/sessions/${place}/events`, {
      events: [{ type: 'reconciliation', occurredAt: '2026-06-03T12:00:00Z', eventId: 'e-1' }],
    });
    t.equal(status, 200);
    t.match(await respondentOf(place), { completion: 'reversed', refusedFor: 'unknown' });
    t.equal(await post({ ...rejected, type: 'custom', eventId: 'e-1', detail: { name: 'never mind' } }), 200);
    t.same(await figures(), before, 'a correction takes it back');
  },
);

t.test('the survey’s own later check reverses what it had confirmed', async (t) => {
  const place = await complete('d');
  const before = await figures();
  const reported = await call('POST', `${path}/returns`, { place, status: 'quality' }, study.surveyKey);
  t.match(reported.body, { completion: 'reversed', changed: true });
  t.match((await read()).progress, { reversed: before.progress.reversed + 1 });
  t.equal((await call('DELETE', `${path}/disputes/${place}`)).status, 200);
  t.same(await figures(), before);
});

t.test('the owner’s complete over the survey’s refusal stands, for the supplier and for scoring', async (t) => {
  const place = await interview('e');
  const report = async (status: string, key?: string) => call('POST', `${path}/returns`, { place, status }, key);
  t.match((await report('quality', study.surveyKey)).body, { status: 'terminated', changed: true });
  await waitUntil(() => sentOf(place).includes('quality'), 'the refusal was posted back');
  t.match(await outcomesOf(place), [{ type: 'quality_term' }]);
  t.match((await report('complete')).body, { status: 'completed', completion: 'confirmed', changed: true });
  t.match(await respondentOf(place), { status: 'completed', completion: 'confirmed', refusedFor: null });
  t.same(
    (await outcomesOf(place)).map(({ type }) => type),
    ['complete'],
    'the refusal no longer counts',
  );
  await waitUntil(() => sentOf(place).length === 2, 'the complete was posted back');
  t.same(sentOf(place), ['quality', 'complete']);
});

t.test('the ids of the service’s own events are refused, and a rejection under any other id counts', async (t) => {
  const place = await complete('f');
  const before = await figures();
  const event = { sessionId: place, type: 'buyer_reject', occurredAt: '2026-06-01T12:00:00Z', reasonClass: 'fraud' };
  for (const eventId of [`vh-place-reversal:${place}`, `vh-place-end:${place}`, 'vh-place-'])
    for (const [at, events] of [
      ['/lite/events', [{ ...event, eventId }]],
      [`/lite/sessions/${place}/events`, [{ ...event, eventId, type: 'complete' }]],
    ] as const) {
      const refused = await api('POST', at, { events });
      t.match([refused.status, refused.body], [400, { issues: [{ path: '/events/0/eventId', message: /reserved/ }] }]);
    }
  t.same(await figures(), before);
  t.same(
    (await outcomesOf(place)).map(({ type }) => type),
    ['complete'],
  );
  t.equal((await api('POST', '/lite/events', { events: [{ ...event, eventId: 'own' }] })).status, 200);
  t.match(await respondentOf(place), { completion: 'reversed', refusedFor: 'fraud' });
});

const erase = async (rid: string): Promise<void> => {
  const { status } = await fetch(`${baseUrl}/projects/${service.bootstrap.projectId}/respondents/${rid}`, {
    ...{ method: 'DELETE', headers: { 'x-api-key': organizationKey } },
  });
  if (status !== 200) throw new Error(`the erasure answered ${status}`);
};

t.test('a status that an erasure kept from the supplier is counted in the report', async (t) => {
  const unsent = async (): Promise<readonly number[]> => {
    const [suppliers, days] = [await reportOf('supplier'), await reportOf('day')];
    // The day can end meanwhile.
    const ofDays = days.rows.reduce((sum, { unsent }) => sum + unsent, 0);
    return [suppliers.totals.unsent, suppliers.rows[0]?.unsent ?? -1, ofDays];
  };
  t.same(await unsent(), [0, 0, 0]);
  const [told, lasting, surveyed] = [await complete('told'), await complete('lasting'), await interview('surveyed')];
  // Before its delivery is noted, a postback that arrived counts as waiting.
  const delivered = `/suppliers/${supplier.supplierId}/deliveries?state=SUCCEEDED&limit=200`;
  await waitUntil(async () => {
    const { deliveries } = (await call('GET', delivered)).body as { deliveries: readonly DeliveryReply[] };
    return [told, lasting].every((place) => deliveries.some(({ sessionId }) => sessionId === place));
  }, 'the complete was posted back, and noted');
  await erase('told');
  await erase('surveyed');
  await call('POST', `${path}/returns`, { place: surveyed, status: 'complete' }, study.surveyKey);
  await waitUntil(async () => (await unsent())[0] === 1, 'the complete of an erased respondent is counted');
  await dispute([{ place: told, reason: 'fraud' }]);
  await waitUntil(async () => (await unsent())[0] === 2, 'the reversal of an erased respondent is counted');
  t.same(await unsent(), [2, 2, 2]);
  t.same([sentOf(told), sentOf(surveyed)], [['complete'], []], 'nobody is told of an erased respondent');
  t.equal((await call('DELETE', `${path}/disputes/${told}`)).status, 200);
  await waitUntil(async () => (await unsent())[0] === 1, 'the supplier’s last status holds again');
  receiver.answer((_received, response) => void response.writeHead(500).end());
  const waiting = await complete('waiting');
  await waitUntil(() => sentOf(waiting).length > 0, 'a postback failed');
  await erase('waiting');
  t.same(await unsent(), [2, 2, 2], 'a postback that waited is deleted');
  await dispute([{ place: lasting, reason: 'fraud' }]);
  await waitUntil(() => sentOf(lasting).length > 1, 'the reversal failed');
  await erase('lasting');
  t.same(await unsent(), [3, 3, 3], 'the supplier does not know of the reversal');
  t.equal((await call('DELETE', `/studies/${study.studyId}/disputes/${lasting}`)).status, 200);
  await waitUntil(async () => (await unsent())[0] === 2, 'the status that arrived holds again');
});

t.test('an erased respondent is named by the place alone', async (t) => {
  const gone = [await complete('gone'), await complete('gone too')];
  for (const rid of ['gone', 'gone%20too']) await erase(rid);
  const [place] = gone;
  const rows = [
    { rid: 'erased', reason: 'fraud' },
    { place, reason: 'fraud' },
  ];
  t.match(await dispute(rows), {
    rows: [
      { place: null, result: 'unknown' },
      { place, result: 'reversed' },
    ],
  });
  const named = await complete('erased');
  t.match(await dispute(rows.slice(0, 1)), { rows: [{ place: named, result: 'reversed' }] }, 'a rid like any other');
});

t.test('the report is a table as well, and progress says why people were screened out', async (t) => {
  const { rows, totals } = await reportOf('supplier');
  const csv = await call('GET', `${path}/report?by=supplier&format=csv`);
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  const [header = [], first = []] = csv.text.split('\r\n').map((line) => line.split(','));
  const cell = (name: string): string | undefined => first[header.indexOf(name)];
  t.match([cell('supplierId'), cell('entries')], [supplier.supplierId, String(rows[0]?.entries)]);
  t.equal(cell('screenedOut.gate'), String(totals.screenedOut.gate));
  t.equal(csv.text.trim().split('\r\n').length, rows.length + 1);
  t.same((await read()).progress.screenOutReason, totals.screenedOut);
  t.match(await call('GET', `${path}/report?by=week`), { status: 400 });
});
