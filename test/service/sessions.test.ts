import t from 'tap';
import type { ProjectReply } from '../../src/contract/project.js';
import type { ScoredSessionPage, SessionTrailReply } from '../../src/contract/session-trail.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { probeExample, scoreExample } from '../../src/scoring/examples.js';
import { keyHeaders, startOrganizations } from '../helpers/organizations.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials, other, sibling } = await startOrganizations(t);
const { bootstrap } = service;
const clientIp = '127.0.0.1';

const score = async (body: object, headers = credentials.projectKey): Promise<ScoreReply> =>
  (await service.call('POST', '/lite/score', { body: { clientIp, ...body }, headers })).body;
const trail = (sessionId: string, query = '', headers = credentials.projectKey) =>
  service.call('GET', `/lite/sessions/${sessionId}${query}`, { headers }) as Promise<{
    status: number;
    body: SessionTrailReply;
  }>;
const list = async (query: string, headers = credentials.projectKey): Promise<ScoredSessionPage> =>
  (await service.call('GET', `/lite/sessions?${query}`, { headers })).body;
const probe = (sessionId: string, fields: object = {}) =>
  service.call('POST', '/public/lite/probe', {
    body: { ...probeExample(bootstrap.probeKey), sessionId, nonce: `nonce-of-${sessionId}`, ...fields },
    headers: { origin: 'https://survey.example.com', 'user-agent': scoreExample.userAgent ?? '' },
  });
const recorded = (sessionId: string, receipts: number) =>
  waitUntil(async () => ((await trail(sessionId)).body.receipts ?? []).length === receipts, `${receipts} receipts`);

t.test('a session tells of its probe, its receipts and its outcomes, and what was matched', async (t) => {
  const sessionId = 'trail-1';
  t.equal((await trail(sessionId)).status, 404, 'nothing is known yet');
  await probe(sessionId);
  await probe(sessionId, { nonce: 'second-page-of-it' });
  const seen = await trail(sessionId);
  t.match(seen, { status: 200, body: { receipts: [], outcomes: [] } });
  t.match(seen.body.probes, [{ origin: 'https://survey.example.com', loads: 2, messages: 2, receivedAt: /^20.*Z$/ }]);
  const events = [{ sessionId, type: 'complete', occurredAt: '2026-06-01T12:00:00Z', reasonClass: 'quality' }];
  await service.call('POST', '/lite/events', { body: { events } });
  t.match((await trail(sessionId)).body.outcomes, [{ type: 'complete', reasonClass: 'quality', matched: false }]);

  const first = await score({ sessionId, studyId: 'study-t', sourceId: 'source-t' });
  const second = await score({ sessionId, studyId: 'study-t', sourceId: 'source-t', declaredCountry: 'DE' });
  await recorded(sessionId, 2);
  const { body } = await trail(sessionId);
  t.match(body.receipts, [
    { receiptId: second.receiptId, supersedes: first.receiptId, verdictClass: second.verdictClass, studyId: 'study-t' },
    {
      ...{ receiptId: first.receiptId, supersedes: null, score: first.score, sourceId: 'source-t' },
      decision: { by: 'thresholds', reviewLow: 40, blockThreshold: 75, stepUpThreshold: null },
    },
  ]);
  t.match(body.outcomes, [{ matched: true }]);
});

t.test('a page in a sandboxed frame has no origin', async (t) => {
  const headers = { origin: 'null', 'user-agent': scoreExample.userAgent ?? '' };
  const body = { ...probeExample(bootstrap.probeKey), sessionId: 'sandboxed', nonce: 'nonce-of-sandboxed' };
  await service.call('POST', '/public/lite/probe', { body, headers });
  t.match((await trail('sandboxed')).body.probes, [{ origin: null, loads: 1 }]);
});

t.test('a session names the rejection that stands, and none once it is withdrawn', async (t) => {
  const sessionId = 'rejected-later';
  const stated = async (...events: readonly object[]) => {
    await service.call('POST', '/lite/events', { body: { events: events.map((event) => ({ sessionId, ...event })) } });
    return (await trail(sessionId)).body;
  };
  const at = (day: number) => `2026-06-0${day}T12:00:00.000Z`;
  const rejected = { type: 'buyer_reject', occurredAt: at(1), reasonClass: 'fraud' };
  const known = await stated({ type: 'complete', occurredAt: at(1) }, rejected, { type: 'dq', occurredAt: at(2) });
  t.same(known.rejection, rejected, 'what does not take a complete back rejects nothing');
  const withdrawn = await stated({
    ...{ type: 'custom', occurredAt: at(3) },
    detail: { name: 'retraction', of: { type: 'buyer_reject', occurredAt: at(1) } },
  });
  t.equal(withdrawn.rejection, null);
  t.same(
    withdrawn.outcomes.filter(({ retracted }) => retracted).map(({ type }) => type),
    ['buyer_reject'],
  );
  t.match((await stated({ type: 'reconciliation', occurredAt: at(4) })).rejection, { reasonClass: 'unknown' });
});

t.test('sessions are listed newest first, page by page, and filtered', async (t) => {
  const study = { studyId: 'study-l' };
  for (const sessionId of ['l-1', 'l-2', 'l-3']) await score({ sessionId, ...study, sourceId: `source-${sessionId}` });
  await score({ sessionId: 'l-1', ...study, sourceId: 'source-l-1', declaredCountry: 'DE' });
  await recorded('l-1', 2);
  const names = ({ sessions }: ScoredSessionPage) => sessions.map(({ sessionId }) => sessionId);
  t.same(names(await list('studyId=study-l')), ['l-1', 'l-3', 'l-2'], 'one entry a session, by its latest receipt');
  const page = await list('studyId=study-l&limit=2');
  t.same(names(page), ['l-1', 'l-3']);
  t.same(names(await list(`studyId=study-l&limit=2&cursor=${page.nextCursor}`)), ['l-2']);
  t.same(names(await list('sourceId=source-l-2')), ['l-2']);
  t.same(names(await list('studyId=study-l&recommendation=block')), []);
  t.same(names(await list('studyId=study-l&recommendation=allow&duplicateBand=none')).length, 3);
  t.same(names(await list('studyId=study-l&from=2100-01-01T00:00:00Z')), []);
  t.same(names(await list('studyId=study-l&to=2100-01-01T00:00:00Z')).length, 3);
  t.equal((await service.call('GET', '/lite/sessions?recommendation=perhaps')).status, 400);
  for (const [name, value] of [
    ['studyId', '%00'],
    ['sourceId', 'a%00'],
    ['from', '2016-12-31T23:59:60Z'],
    ['to', '2016-12-31T23:59:60Z'],
  ])
    t.match(await service.call('GET', `/lite/sessions?${name}=${value}`), {
      status: 400,
      body: { issues: [{ path: `/querystring/${name}` }] },
    });
});

t.test('each project and world sees its own; an organization key names the project', async (t) => {
  await score({ sessionId: 'mine' });
  await recorded('mine', 1);
  const named = `?projectId=${bootstrap.projectId}`;
  t.equal((await trail('mine', '', keyHeaders(sibling.projectKey))).status, 404);
  t.equal((await trail('mine', '', credentials.testKey)).status, 404, 'a test key sees what test keys scored');
  t.equal((await trail('mine', '', credentials.organizationKey)).status, 400);
  t.equal((await trail('mine', named, credentials.organizationKey)).body.receipts.length, 1);
  t.equal((await trail('mine', named, keyHeaders(other.organizationKey))).status, 404);
  t.equal((await trail('mine', '', credentials.demoKey)).status, 403);
});

t.test('a score without a probe says that one of another session came from the address, in development', async (t) => {
  await probe('as-the-page-says');
  const noteOf = ({ evidence }: ScoreReply) => evidence.notes.find(({ code }) => code === 'probe_elsewhere')?.detail;
  t.match(noteOf(await score({ sessionId: 'as-the-backend-says' })), 'for session "as-the-page-says", ');
  t.match(
    noteOf(await score({ sessionId: 'as-the-page-says' }, keyHeaders(sibling.projectKey))),
    'probe key of another project',
  );
  t.equal(noteOf(await score({ sessionId: 'as-the-page-says' })), undefined, 'the right one has its probe');
  t.equal(noteOf(await score({ sessionId: 'elsewhere', clientIp: '198.51.100.77' })), undefined);
});

t.test('an erased respondent’s sessions are listed no more', async (t) => {
  await score({ sessionId: 'to-be-erased', respondentId: 'somebody', studyId: 'study-e' });
  await recorded('to-be-erased', 1);
  const path = `/projects/${bootstrap.projectId}/respondents/somebody`;
  t.equal((await service.call('DELETE', path, { headers: credentials.owner })).status, 200);
  t.same((await list('studyId=study-e')).sessions, []);
});

t.test('a source with knobs of its own that was never scored is noted', async (t) => {
  await score({ sessionId: 'of-a-source', sourceId: 'supplier-1' });
  await recorded('of-a-source', 1);
  const path = `/projects/${bootstrap.projectId}`;
  const perSource = { 'supplier-1': { reviewLow: 30 }, 'suplier/1': { reviewLow: 30 } };
  const body = { config: { liteConfig: { perSource } } };
  const notes = [{ path: '/config/liteConfig/perSource/suplier~11', message: /has no scored session yet/ }];
  t.match((await service.call('PATCH', path, { body, headers: credentials.owner })).body, { notes });
  const shown: ProjectReply = (await service.call('GET', path, { headers: credentials.owner })).body;
  t.match(shown.notes, notes);
  t.equal(shown.notes?.length, 1);
  t.same(shown.config.liteConfig?.perSource?.['supplier-1'], { reviewLow: 30 });
  t.match(shown.effective.liteConfig?.perSource?.['supplier-1'], { reviewLow: 30, blockThreshold: 75 });
  const shadow = { perSource: { 'supplier-1': {}, 'suplier-2': {} } };
  const both = await service.call('PATCH', path, {
    body: { config: { liteConfig: { shadow } } },
    headers: credentials.owner,
  });
  const paths = (both.body as ProjectReply).notes?.map((note) => note.path);
  t.same(paths?.sort(), ['/config/liteConfig/perSource/suplier~11', '/config/liteConfig/shadow/perSource/suplier-2']);
});

t.test('one redirect URL without the other is noted', async (t) => {
  const path = `/projects/${bootstrap.projectId}`;
  const patch = async (scoreModeConfig: object): Promise<ProjectReply> =>
    (await service.call('PATCH', path, { body: { scoreModeConfig }, headers: credentials.owner })).body;
  const noted = ({ notes = [] }: ProjectReply) =>
    notes.filter(({ path: each }) => each.startsWith('/scoreModeConfig/'));
  const redirectPassUrl = 'https://panel.example/passed';
  t.match(noted(await patch({ redirectPassUrl })), [
    { path: '/scoreModeConfig/redirectFailUrl', message: /respondents are not redirected/ },
  ]);
  t.same(noted(await patch({ redirectFailUrl: 'https://panel.example/failed' })), []);
  t.match(noted(await patch({ redirectPassUrl: null })), [{ path: '/scoreModeConfig/redirectPassUrl' }]);
  t.same(noted(await patch({ redirectFailUrl: null })), []);
});
