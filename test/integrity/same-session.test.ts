/** Two instances race on the same sessions: their scores, the flags that they raise, and the last of a quota. */
import t from 'tap';
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startReceiver } from '../helpers/receiver.js';
import { findStack } from '../helpers/stores.js';
import { automated, envelopeFor, page } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const activity = {
  behavior: { untrusted: 50 },
  questions: [
    {
      questionId: 'q7',
      timeOnQuestionMs: 4_000,
      mouseMoveCount: 3,
      keyCount: 9,
      pasteCount: 5,
      focusEntries: 1,
      focusExits: 0,
    },
  ],
};
const stack = findStack(t, 'two instances on the same session');

if (stack !== null) {
  const settings = { ...(await realStoreSettings(t, stack)), VH_WEBHOOK_ALLOW_PRIVATE: 'on' };
  const { members, keys } = await startFleet(t, settings, ['api', 'api', 'consumers']);
  const urls = members.slice(0, 2).map((member) => member.baseUrl() ?? '');
  t.test(
    'instances that score the same session at once give one receipt, count it once, and serve each other’s evidence',
    async (t) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': keys.projectKey };
      const score = async (url: string, body: object): Promise<ScoreReply> => {
        const answer = await fetch(`${url}/lite/score`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ clientIp: '203.0.113.9', studyId: 'race', ...body }),
        });
        if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
        return (await answer.json()) as ScoreReply;
      };
      let undisturbed = 0;
      for (let n = 0; n < 20; n++) {
        const body = { sessionId: `same-${n}`, respondentId: `respondent-${n}` };
        const replies = await Promise.all([...urls, ...urls, ...urls].map((url) => score(url, body)));
        const others = await Promise.all(
          urls.map((url, index) => score(url, { ...body, declaredCountry: ['DE', 'FR'][index] })),
        );
        // A score does without counters that answer after 0.4 s, as those of a machine that stands still, and gets another receipt.
        if ([...replies, ...others].some(({ degradedSignals }) => degradedSignals.includes('counters_unavailable')))
          continue;
        undisturbed += 1;
        t.equal(
          new Set(replies.map((reply) => JSON.stringify({ ...reply, replayed: null }))).size,
          1,
          'one receipt and one reply for all',
        );
        t.equal(
          replies.filter(({ replayed }) => replayed !== true).length,
          1,
          'which one of them was the first to get',
        );
        for (const { duplicate } of [...replies, ...others])
          t.equal(duplicate.evidence.respondentDay, 1, 'the session counts once, whatever is asked of it');
        const [first] = replies;
        const evidence = await fetch(`${urls[1]}/lite/score/${first?.receiptId}/evidence`, { headers });
        t.same(((await evidence.json()) as EvidenceReply).evidence, first?.evidence);
      }
      t.ok(undisturbed >= 10, `${undisturbed} of 20 sessions were scored with the counters`);
    },
  );

  t.test('a flag that two instances see at the same moment is raised once, and reaches the webhook once', async (t) => {
    const receiver = await startReceiver(t);
    const call = async (method: string, url: string, body: object, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(url, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      return answer;
    };
    const project = `${urls[0]}/projects/${keys.projectId}`;
    const organization = { 'x-api-key': keys.organizationKey };
    const config = { monitoring: { anomalyThreshold: 0.9, question: { maxPastes: 2 } } };
    await call('PATCH', project, { config }, organization);
    const events = ['monitoring.flagged', 'question.flagged'];
    await call('POST', `${project}/webhooks`, { url: receiver.url, events }, { 'x-api-key': keys.projectKey });
    const origin = { origin: 'https://survey.example' };
    const createSession = async () =>
      (await (
        await call('POST', `${urls[0]}/public/sessions`, { siteKey: keys.siteKey }, origin)
      ).json()) as SessionReply;
    const report = (url: string, { sessionId, clientSecret }: SessionReply) =>
      call('POST', `${url}/public/sessions/${sessionId}/activity`, activity, {
        ...origin,
        'x-client-secret': clientSecret,
      });
    // The second instance reads the project when its own copy is old.
    const warm = await createSession();
    const isRaised = async () => {
      await report(urls[1] ?? '', warm);
      return (await members[1]?.metric('vh_monitoring_flags_total')) === 2;
    };
    await waitUntil(isRaised, 'the other instance knows the thresholds');
    const sessions = [warm];
    for (let n = 0; n < 10; n++) {
      const session = await createSession();
      sessions.push(session);
      await Promise.all([...urls, ...urls, ...urls].map((url) => report(url, session)));
    }
    const raised = await Promise.all(members.slice(0, 2).map((member) => member.metric('vh_monitoring_flags_total')));
    t.equal((raised[0] ?? 0) + (raised[1] ?? 0), 22, `two flags a session, by ${raised.join(' and ')}`);
    const seen = () =>
      receiver.received.map(({ body }) => {
        const { event, data } = JSON.parse(body) as { event: string; data: { session_id: string } };
        return `${event} ${data.session_id}`;
      });
    await waitUntil(() => new Set(seen()).size === 22, 'each flag reaches the webhook');
    const expected = sessions.flatMap(({ sessionId }) => events.map((event) => `${event} ${sessionId}`));
    t.same(seen().sort(), expected.sort(), 'once');
  });

  t.test('two instances take the last of the month’s verifications: all that there are, and none more', async (t) => {
    const quota = 7;
    const database = await openPostgres({ url: settings.DATABASE_URL, poolMax: 2, deadlineMs: 10_000 });
    t.teardown(() => database.close());
    const ask = async (url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...page, ...headers },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as SessionReply & { readonly code?: string } };
    };
    const start = (url: string) => ask(url, '/public/sessions', { siteKey: keys.siteKey });
    const limitTo = async (value: number, status: number): Promise<void> => {
      await database.query('UPDATE organizations SET monthly_quota = $1', [value]);
      const isKnown = async () => (await Promise.all(urls.map(start))).every((answer) => answer.status === status);
      await waitUntil(isKnown, `both instances know of the quota of ${value}`);
    };
    const used = async (): Promise<number> =>
      (await database.query<{ used: number }>('SELECT used FROM verification_usage WHERE NOT is_demo'))[0]?.used ?? 0;
    await limitTo(0, 429);
    await limitTo(quota, 201);
    const sessions = await Promise.all(Array.from({ length: 24 }, (_, n) => start(urls[n % 2] ?? '')));
    const answers = await Promise.all(
      sessions.map(({ body: session }, n) =>
        ask(urls[n % 2] ?? '', '/public/verify', envelopeFor(session), {
          'user-agent': deviceOnlyExample.device.ua.ua,
          'x-client-secret': session.clientSecret,
        }),
      ),
    );
    t.equal(answers.filter(({ status }) => status === 200).length, quota, 'none is refused while there is room');
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      t.match({ status, ...body }, { status: 429, code: 'QUOTA_EXCEEDED', limit: quota, usage: quota });
    t.equal(await used(), quota);
    const [kept] = await database.query(
      `SELECT (SELECT count(*) FROM verification_sessions WHERE completed_at IS NOT NULL) AS completed,
              (SELECT count(*) FROM fingerprints) AS fingerprints`,
    );
    t.same(kept, { completed: quota, fingerprints: quota }, 'of those that were refused nothing is kept');
  });

  t.test('of retries that complete on two instances at the same moment one passes', async (t) => {
    const send = async (url: string, path: string, body: object, headers: Readonly<Record<string, string>>) => {
      const method = 'POST';
      const json = { 'content-type': 'application/json', ...headers };
      const answer = await fetch(url + path, { method, headers: json, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as SessionReply & { readonly code?: string } };
    };
    // The quota of the live mode is used up by now.
    const made = await send(
      urls[0] ?? '',
      `/projects/${keys.projectId}/api-keys`,
      { name: 'Test', isTest: true },
      { 'x-api-key': keys.organizationKey },
    );
    const backend = { 'x-api-key': (made.body as unknown as { apiKey: string }).apiKey };
    const verify = (url: string, session: SessionReply, over: Readonly<Record<string, unknown>> = {}) =>
      send(url, '/public/verify', envelopeFor(session, over), {
        ...page,
        'user-agent': deviceOnlyExample.device.ua.ua,
        'x-client-secret': session.clientSecret,
      });
    for (let n = 0; n < 10; n += 1) {
      const { body: first } = await send(urls[0] ?? '', '/sessions', {}, backend);
      await verify(urls[0] ?? '', first, automated);
      const retry = (_: unknown, index: number) =>
        send(urls[index % 2] ?? '', `/sessions/${first.sessionId}/retry`, {}, backend);
      const siblings = await Promise.all(Array.from({ length: 3 }, retry));
      const answers = await Promise.all(siblings.map(({ body }, index) => verify(urls[index % 2] ?? '', body)));
      t.same(answers.map(({ status }) => status).sort(), [200, 409, 409]);
      t.same(new Set(answers.map(({ body }) => body.code)), new Set([undefined, 'SESSION_COMPLETED']));
    }
  });
}
