/** Limits between a session and its verdict, in addition to the envelope: quota, trial, origin, retry budget, retention. */
import { dropExpiredSessions } from '../../src/verification/sessions/session-retention.js';
import t from 'tap';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { withDatabase } from '../helpers/organizations.js';
import type { SessionReply } from '../../src/contract/session.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, page, readResult, verify } from '../helpers/verifications.js';

t.setTimeout(120_000);
const dataDirectory = temporaryDirectory(t);
const first = await startTestService(t, { VH_DATA_DIR: dataDirectory, VH_BOOTSTRAP: 'on' });
const organization = { 'x-api-key': first.bootstrap.organizationKey };
const changed = await first.call('PATCH', `/projects/${first.bootstrap.projectId}`, {
  body: { config: { allowedDomains: [page.origin] } },
  headers: organization,
});
if (changed.status !== 200) throw new Error(JSON.stringify(changed.body));
await first.stop();

const startedAtMs = Date.now();
const { onTrial, redirecting } = await withDatabase(dataDirectory, async (database) => {
  await database.query('UPDATE organizations SET monthly_quota = 5 WHERE organization_id = $1', [
    first.bootstrap.organizationId,
  ]);
  const organizationId = await insertOrganization(database, { name: 'Trial', tier: 'free', liteEnabled: false });
  await database.query('UPDATE organizations SET trial_ends_at = $2 WHERE organization_id = $1', [
    organizationId,
    new Date(startedAtMs + 600_000),
  ]);
  const project = await insertProject(database, organizationId, {
    name: 'Trial',
    config: { allowedDomains: [page.origin] },
  });
  const localAddress = 'http://localhost:5000/done';
  const redirecting = await insertProject(database, first.bootstrap.organizationId, {
    name: 'Set up in development',
    verificationMode: 'score',
    config: { allowedDomains: [page.origin, 'localhost:*'] },
    scoreModeConfig: { redirectPassUrl: localAddress, redirectFailUrl: localAddress },
  });
  if (project === null || redirecting === null) throw new Error('the projects were not made');
  return { onTrial: project.projectId, redirecting: redirecting.projectId };
});

/** The service’s clock: it stands unless it is moved. */
let nowMs = startedAtMs;
const now = (): number => nowMs;
const service = await startTestService(t, { VH_DATA_DIR: dataDirectory, VH_ENV: 'production' }, { now });
const { bootstrap } = service;
const refusal = ({ status, body }: { readonly status: number; readonly body: unknown }) => ({
  status,
  ...(body as object),
});

t.test(
  'an envelope from an origin that is not allowed is refused in production, and the page can read it',
  async (t) => {
    const session = await createSession(service);
    const foreign = await verify(service, session, {}, { origin: 'https://elsewhere.example' });
    t.match(refusal(foreign), { status: 403, code: 'ORIGIN_NOT_ALLOWED' });
    t.equal(foreign.headers.get('access-control-allow-origin'), 'https://elsewhere.example');
    t.equal((await verify(service, session)).status, 200, 'the session is not used up by it');
    const created = await service.call('POST', '/public/sessions', {
      body: { siteKey: bootstrap.siteKey },
      headers: { origin: 'https://elsewhere.example' },
    });
    t.match(refusal(created), { status: 403, code: 'ORIGIN_NOT_ALLOWED' }, 'nor is a session created');
  },
);

t.test('a retry that the project no longer allows is refused when its envelope comes', async (t) => {
  const setBudget = async (maxRetries: number | null): Promise<void> => {
    const { status } = await service.call('PATCH', `/projects/${bootstrap.projectId}`, {
      body: { config: { maxRetries } },
      headers: organization,
    });
    t.equal(status, 200);
  };
  const failed = await createSession(service);
  t.equal((await verify(service, failed, automated)).body.status, 'fail');
  const retry = await createSession(service, {
    previousSessionId: failed.sessionId,
    previousClientSecret: failed.clientSecret,
  });
  await setBudget(0);
  t.match(refusal(await verify(service, retry)), { status: 409, code: 'RETRY_BUDGET_EXHAUSTED' });
  await setBudget(null);
  t.equal((await verify(service, retry)).status, 200, 'nothing was taken');
});

t.test('in production a redirect leads to https alone, also one that was set before', async (t) => {
  const patch = (redirectPassUrl: string) =>
    service.call('PATCH', `/projects/${redirecting}`, {
      body: { scoreModeConfig: { redirectPassUrl, redirectFailUrl: 'https://survey.example/fail' } },
      headers: organization,
    });
  const session = await createSession(service, { siteKey: redirecting });
  t.equal((await verify(service, session)).status, 200);
  t.equal((await readResult(service, session)).body.dispatch.redirectUrl, null);
  for (const address of ['http://survey.example/pass', 'http://localhost:5000/pass', 'ftp://survey.example/pass'])
    t.match(await patch(address), { status: 400, body: { issues: [{ path: '/scoreModeConfig/redirectPassUrl' }] } });
  t.equal((await patch('https://survey.example/pass')).status, 200);
  const redirectOf = async () => (await readResult(service, session)).body.dispatch.redirectUrl;
  const first = await redirectOf();
  t.match(first, /\/redirect\?code=/);
  nowMs += 299_000;
  t.equal(await redirectOf(), first, 'within five minutes it is the same');
  nowMs += 2_000;
  t.not(await redirectOf(), first, 'after them a new one');
  nowMs = startedAtMs;
});

t.test('failures through a link that cost no capture use up nothing of the month', async (t) => {
  const first = new Date(now());
  // A month that no other test counts in.
  first.setUTCMonth(first.getUTCMonth() + 6, 1);
  nowMs = first.getTime();
  const { body: link } = await service.call('POST', `/projects/${bootstrap.projectId}/links`, {
    body: { respondentId: 'd3f1c0de55b1d3f1c0de55b1d3f1c0de' },
    headers: { 'x-api-key': bootstrap.projectKey },
  });
  const { linkId } = link as { readonly linkId: string };
  for (let count = 0; count < 6; count += 1)
    t.match(await verify(service, await createSession(service, { linkId }), automated), { body: { status: 'fail' } });
  for (let count = 0; count < 4; count += 1)
    t.equal((await verify(service, await createSession(service))).status, 200, 'of five');
  t.equal((await verify(service, await createSession(service, { linkId }))).body.status, 'pass', 'the fifth');
  nowMs = startedAtMs;
});

t.test('the session after the month’s last is refused with 429 and stays open; the next month takes it', async (t) => {
  const minted = await service.call('POST', `/public/projects/${bootstrap.siteKey}/demo-key`, { headers: page });
  const demo = { 'x-api-key': (minted.body as { apiKey: string }).apiKey };
  const verifyDemo = async () => {
    const { status, body } = await service.call('POST', '/sessions', { body: {}, headers: demo });
    t.equal(status, 201, JSON.stringify(body));
    return verify(service, body);
  };
  for (let count = 0; count < 6; count += 1) t.equal((await verifyDemo()).status, 200, 'demo traffic is not billed');
  for (let count = 0; count < 6; count += 1) {
    const failed = await verify(service, await createSession(service), automated);
    t.match(failed, { status: 200, body: { status: 'fail' } }, 'what a stranger fails uses nothing up');
  }
  const backend = await service.call('POST', '/sessions', { body: {}, headers: { 'x-api-key': bootstrap.projectKey } });
  t.equal(
    (await verify(service, backend.body as SessionReply, automated)).body.status,
    'fail',
    'of a backend it counts',
  );
  const [last, over] = [await createSession(service), await createSession(service)];
  t.equal((await verify(service, last)).status, 200, 'the fifth of five');
  const refused = await verify(service, over);
  const nextMonth = new Date(now());
  nextMonth.setUTCMonth(nextMonth.getUTCMonth() + 1, 1);
  const resetDate = `${nextMonth.toISOString().slice(0, 10)}T00:00:00.000Z`;
  t.match(refusal(refused), { status: 429, code: 'QUOTA_EXCEEDED', limit: 5, usage: 5, resetDate });
  t.ok(Number(refused.headers.get('retry-after')) > 0);
  t.not((await readResult(service, over)).status, 200, 'it has no result: nothing was kept of it');
  const none = await service.call('POST', '/public/sessions', { body: { siteKey: bootstrap.siteKey }, headers: page });
  t.match(refusal(none), { status: 429, code: 'QUOTA_EXCEEDED' }, 'nor is a session created in vain');
  t.equal((await verifyDemo()).status, 200, 'nor stopped by the quota');
  nowMs = Date.parse(resetDate) + 60_000;
  t.equal((await verify(service, await createSession(service))).status, 200);
  nowMs = startedAtMs;
});

/** A refusal without the id of its request. */
const told = (body: unknown): object => ({ ...(body as object), requestId: null });

t.test('a session of a trial that ended meanwhile is refused with 402', async (t) => {
  const session = await createSession(service, { siteKey: onTrial });
  const retry = (sessionId: string) =>
    service.call('POST', `/sessions/${sessionId}/retry`, { body: {}, headers: organization });
  const [foreign, none] = [await retry(session.sessionId), await retry(`sess_${'0'.repeat(32)}`)];
  t.same([foreign.status, none.status], [404, 404], 'to another organization there is no such session');
  t.same(told(foreign.body), told(none.body));
  nowMs = startedAtMs + 700_000;
  const refused = await verify(service, session);
  t.match(refusal(refused), { status: 402, code: 'TRIAL_EXPIRED', trialEndsAt: String });
  t.equal(refused.headers.get('access-control-allow-origin'), page.origin);
  nowMs = startedAtMs;
});

t.test('sessions past their retention are gone, and their fingerprints with them', async (t) => {
  await service.stop();
  await withDatabase(dataDirectory, async (database) => {
    const count = async (name: 'verification_sessions' | 'fingerprints'): Promise<number> => {
      const [row] = await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name}`);
      return row?.count ?? 0;
    };
    t.ok((await count('verification_sessions')) >= 4);
    t.ok((await count('fingerprints')) >= 4);
    const inAYear = Date.now() + 400 * 86_400_000;
    t.equal(await dropExpiredSessions(database, inAYear, 401), 0, 'none is too old by then');
    t.ok((await dropExpiredSessions(database, inAYear, 150)) >= 4);
    t.equal(await count('verification_sessions'), 0);
    t.equal(await count('fingerprints'), 0);
  });
});
