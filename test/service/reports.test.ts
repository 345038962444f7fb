import t from 'tap';
import type { CalibrationReply, MixReply, SourcesReply } from '../../src/contract/reports.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { startOrganizations } from '../helpers/organizations.js';
import { bearerOf, makeClient } from '../helpers/oauth.js';
import { waitUntil } from '../helpers/wait-until.js';

const dayMs = 86_400_000;
const { service, credentials } = await startOrganizations(t);
const { projectId } = service.bootstrap;
const key = { 'x-api-key': service.bootstrap.projectKey };

type Answer<T> = { readonly status: number; readonly body: T & ErrorBody };
const read = <T>(path: string, headers: Readonly<Record<string, string>> = key): Promise<Answer<T>> =>
  service.call('GET', path, { headers });
const mix = (query = '', headers = key as Readonly<Record<string, string>>) =>
  read<MixReply>(`/lite/mix${query}`, headers);

async function score(
  sessionId: string,
  sourceId: string | undefined,
  headers: Readonly<Record<string, string>> = key,
): Promise<void> {
  const body = {
    sessionId,
    clientIp: '8.8.4.4',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    sourceId,
  };
  t.equal((await service.call('POST', '/lite/score', { body, headers })).status, 200);
}

t.test('a project without sessions has empty reports', async (t) => {
  t.same((await mix()).body, { days: [] });
  t.same((await read('/lite/sources')).body, { sources: [] });
  const { body: empty } = await read<CalibrationReply>('/lite/calibration');
  t.match(empty, { bands: [], ece: null });
  t.notOk('fairness' in empty, 'it has a report of its own');
  t.match((await read('/lite/fairness')).body, { all: { sessions: 0 }, complete: true, groups: [] });
});

t.test(
  'recommendations by day and source, the league of sources, and calibration follow scores and outcomes',
  async (t) => {
    for (let index = 0; index < 4; index += 1) await score(`good-${index}`, 'good');
    for (let index = 0; index < 3; index += 1) await score(`bad-${index}`, 'bad');
    await score('nobody', undefined);
    await score('test-world', 'test-source', credentials.testKey);
    const at = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
    const events = [
      ...[0, 1, 2].map((index) => ({ sessionId: `good-${index}`, type: 'complete', occurredAt: at(70) })),
      { sessionId: 'good-3', type: 'complete', occurredAt: at(1) },
      ...[0, 1].map((index) => ({ sessionId: `bad-${index}`, type: 'ban', occurredAt: at(70) })),
      { sessionId: 'bad-2', type: 'ban', occurredAt: at(1) },
    ];
    t.match((await service.call('POST', '/lite/events', { body: { events } })).body, { accepted: events.length });
    const today = at(0).slice(0, 10);
    await waitUntil(
      async () => (await mix()).body.days?.reduce((sum, { allow }) => sum + allow, 0) === 8,
      'they are counted',
    );
    t.match((await mix()).body.days, [
      { day: today, sourceId: null, allow: 1, review: 0, block: 0, step_up: 0 },
      { day: today, sourceId: 'bad', allow: 3 },
      { day: today, sourceId: 'good', allow: 4 },
    ]);
    t.match((await mix('?sourceId=good')).body.days, [{ sourceId: 'good', allow: 4 }]);
    t.same((await mix(`?to=${at(2)}`)).body.days, []);
    let sources: SourcesReply['sources'] = [];
    await waitUntil(async () => {
      sources = (await read<SourcesReply>('/lite/sources')).body.sources;
      return sources[0]?.labels.fraud === 3;
    }, 'the outcomes have labelled their sessions');
    t.match(sources, [
      { sourceId: 'bad', sessions: 3, labels: { fraud: 3, complete: 0 }, drift: null, independence: 100 },
      { sourceId: 'good', sessions: 4, labels: { fraud: 0, complete: 4 } },
      { sourceId: null, sessions: 1 },
    ]);
    t.same((await read(`/lite/sources?to=${at(2)}`)).body, { sources: [] });
    t.match((await read(`/lite/sources?from=${at(0)}&to=${at(0)}`)).body, { sources: [{ sourceId: 'bad' }, {}, {}] });
    t.match((await read('/lite/fairness?sourceId=good')).body, {
      all: { sessions: 3, blocked: 0, blockedShare: null },
      groups: [
        { by: 'country', value: 'other', sessions: 3 },
        { by: 'browser', value: 'other' },
        { by: 'device', value: 'other' },
      ],
    });
    const { body } = await read<CalibrationReply>('/lite/calibration');
    t.match(body, { labels: { fraud: 2, honest: 3 }, bands: [{ from: 0, to: 9, sessions: 5, observed: 0.4 }] });
    t.ok(Math.abs((body.ece ?? 0) - 0.4) < 0.1);
    t.match((await read<CalibrationReply>('/lite/calibration?sourceId=good')).body, {
      labels: { fraud: 0, honest: 3 },
    });
  },
);

t.test('the sessions of test keys are in reports of their own', async (t) => {
  t.match((await mix('', credentials.testKey)).body.days, [{ sourceId: 'test-source', allow: 1 }]);
  t.match((await read<SourcesReply>('/lite/sources', credentials.testKey)).body.sources, [{ sourceId: 'test-source' }]);
});

t.test(
  'a dashboard token and an access token with receipts:read name the project and read what its key scored',
  async (t) => {
    const client = await makeClient(service);
    const token = await bearerOf(service.bootstrap.siteUrl, client, { scope: 'receipts:read' });
    const receipt = await service.call('POST', '/lite/score', {
      body: { sessionId: 'evidence', clientIp: '8.8.4.4' },
      headers: key,
    });
    const { receiptId } = receipt.body as { readonly receiptId: string };
    for (const headers of [credentials.member, credentials.owner, token]) {
      for (const path of [
        '/lite/mix',
        '/lite/sources',
        '/lite/calibration',
        '/lite/sessions',
        '/lite/threshold-recommendations',
      ]) {
        t.equal((await read(`${path}?projectId=${projectId}`, headers)).status, 200, path);
        t.match(await read(path, headers), { status: 400, body: { issues: [{ path: '/projectId' }] } }, path);
      }
      const simulation = { reviewLow: 40, blockThreshold: 75, projectId };
      t.equal((await service.call('POST', '/lite/simulate', { body: simulation, headers })).status, 200);
      t.equal((await read(`/lite/sessions/good-0?projectId=${projectId}`, headers)).status, 200);
      t.match(await read(`/lite/score/${receiptId}/evidence?projectId=${projectId}`, headers), {
        status: 200,
        body: { receiptId },
      });
    }
    const other = await read(`/lite/mix?projectId=${projectId}`, credentials.otherOrganizationOwner);
    t.equal(other.status, 404);
    const evidence = `/lite/score/${receiptId}/evidence?projectId=${projectId}`;
    t.equal((await read(evidence, credentials.otherOrganizationOwner)).status, 404);
    t.equal((await read(evidence, credentials.otherProjectKey)).status, 404);
  },
);

t.test('questions that cannot be answered are refused with a pointer', async (t) => {
  t.match(await mix('?sourceId=unknown'), { status: 400, body: { issues: [{ path: '/sourceId' }] } });
  t.match(await mix('?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'), {
    status: 400,
    body: { issues: [{ path: '/from' }] },
  });
  t.match(await read('/lite/calibration?sourceId=unknown'), { status: 400 });
});
