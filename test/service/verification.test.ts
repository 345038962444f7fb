import t from 'tap';
import { exampleCalls } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { askerOf } from '../helpers/play.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, envelopeFor, page, readResult, verify } from '../helpers/verifications.js';

/** How far the service’s clock is ahead. */
let aheadMs = 0;
const service = await startTestService(t, {}, { now: () => Date.now() + aheadMs });
const key = { 'x-api-key': service.bootstrap.projectKey };

t.test('the device-only example passes when it is posted into a fresh session, and its token validates', async (t) => {
  const session = await createSession(service, { studyId: 'study', respondentId: 'person', metadata: { wave: 1 } });
  const { status, body, headers } = await verify(service, session);
  t.equal(status, 200, JSON.stringify(body));
  t.equal(headers.get('access-control-allow-origin'), page.origin);
  t.equal(body.status, 'pass', JSON.stringify(body));
  t.equal(body.scores.liveness, null, 'no camera, no liveness');
  t.equal(body.scores.uniqueness, null, 'nothing was compared');
  t.equal(body.assuranceLevel, 'device_only');
  t.notOk('risk' in body, 'the risk aggregator is off');
  const validated = await service.call('POST', '/token/verify', {
    body: { token: body.verificationToken },
    headers: key,
  });
  t.match(validated.body, {
    success: true,
    sessionId: session.sessionId,
    status: 'pass',
    studyId: 'study',
    respondentId: 'person',
    scores: { liveness: null, uniqueness: null },
  });
  const batch = await service.call('POST', '/token/verify-batch', {
    body: { tokens: ['x', body.verificationToken, `${body.verificationToken}x`] },
    headers: key,
  });
  t.match(
    batch.body,
    { results: [{ error: 'MALFORMED' }, { success: true }, { success: false }] },
    'in order, each by itself',
  );
  t.match((await readResult(service, session)).body, {
    status: 'pass',
    token: body.verificationToken,
    metadata: { wave: 1 },
    dispatch: { status: 'pass', redirectUrl: null },
  });
});

t.test('of envelopes that race for one session exactly one is judged', async (t) => {
  const session = await createSession(service);
  const answers = await Promise.all(Array.from({ length: 8 }, () => verify(service, session)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  const others = answers.filter(({ status }) => status !== 200);
  t.ok(
    others.every(
      ({ status, body }) => status === 409 && (body as unknown as { code: string }).code === 'SESSION_COMPLETED',
    ),
  );
});

t.test(
  'an envelope of another session does not pass, and without the secret of its session nothing is told',
  async (t) => {
    const [one, two] = [await createSession(service), await createSession(service)];
    const foreign = await verify(service, two, { nonce: one.challengeConfig.nonce });
    t.equal(foreign.status, 200);
    t.equal(foreign.body.status, 'fail');
    t.ok(foreign.body.fraudSignals.length > 0);
    const fixed = await verify(service, one, {}, { 'x-client-secret': two.clientSecret });
    t.equal(fixed.status, 401);
    const none = await service.call('POST', '/public/verify', { body: envelopeFor(one), headers: page });
    t.equal(none.status, 401);
    t.match(none.body, { code: 'INVALID_CLIENT_SECRET' });
    t.equal(none.headers.get('access-control-allow-origin'), page.origin);
  },
);

t.test('scores that a client sends are not looked at', async (t) => {
  const { body } = await verify(service, await createSession(service), {
    ...automated,
    scores: { overall: 1 },
    status: 'pass',
    overall: 1,
  });
  t.equal(body.status, 'fail');
});

t.test('an envelope that is none is 422 and names the fields, skinLuminance above 1 among them', async (t) => {
  const session = await createSession(service);
  const demographics = {
    ageEstimate: 30,
    ageRange: { min: 25, max: 35 },
    gender: 'female',
    genderConfidence: 0.9,
    skinLuminance: 128,
  };
  const answer = await verify(service, session, { demographics });
  t.equal(answer.status, 422);
  t.match(answer.body, { code: 'INVALID_ENVELOPE' });
  t.match(JSON.stringify(answer.body), '/demographics/skinLuminance');
  t.equal((await verify(service, session, { sdk: 'a\u0000' })).status, 422);
  const nameless = await verify(service, session, { sessionId: undefined });
  t.match(nameless, { status: 422, body: { issues: [{ path: '/sessionId' }] } }, 'its secret is not what is wrong');
  t.equal((await verify(service, session)).status, 200, 'the session is not used up by it');
});

t.test('a failed session is retried until its chain has no budget, however many ask at once', async (t) => {
  const first = await createSession(service, { respondentId: 'again', metadata: { own: 1 } });
  t.equal((await verify(service, first, automated)).body.status, 'fail');
  const retry = () => service.call('POST', `/sessions/${first.sessionId}/retry`, { body: {}, headers: key });
  const answers = await Promise.all(Array.from({ length: 6 }, retry));
  const made = answers
    .filter(({ status }) => status === 201)
    .map(({ body }) => body as { metadata: Record<string, unknown> });
  t.same(made.map(({ metadata }) => metadata['vh_retry_count']).sort(), [1, 2, 3]);
  t.ok(made.every(({ metadata }) => metadata['vh_original_session_id'] === first.sessionId && metadata['own'] === 1));
  t.ok(
    answers
      .filter(({ status }) => status === 409)
      .every(({ body }) => (body as { code: string }).code === 'NOT_RETRYABLE'),
  );
  const fromPage = await service.call('POST', '/public/sessions', {
    body: {
      siteKey: service.bootstrap.siteKey,
      previousSessionId: first.sessionId,
      previousClientSecret: first.clientSecret,
    },
    headers: page,
  });
  t.equal(fromPage.status, 409);
  t.match(fromPage.body, { code: 'RETRY_BUDGET_EXHAUSTED' });
});

t.test(
  'only what completed and failed is retried, with the widget mode of then, and each retry names the root',
  async (t) => {
    const retry = (sessionId: string) =>
      service.call('POST', `/sessions/${sessionId}/retry`, { body: {}, headers: key });
    const first = await createSession(service, { studyId: 'study', respondentId: 'third-time' });
    t.match(await retry(first.sessionId), { status: 409, body: { code: 'NOT_RETRYABLE' } }, 'it has not completed');
    t.equal((await verify(service, first, automated)).body.status, 'fail');
    const setMode = (widgetMode: string | null) =>
      service.call('PATCH', `/projects/${service.bootstrap.projectId}`, {
        body: { config: { widgetMode } },
        headers: { 'x-api-key': service.bootstrap.organizationKey },
      });
    t.equal((await setMode('captcha')).status, 200);
    const second = await retry(first.sessionId);
    t.equal((await setMode(null)).status, 200);
    t.match(second, {
      status: 201,
      body: {
        sessionId: /^sess_/,
        clientSecret: String,
        expiresAt: Number,
        challengeConfig: { nonce: String },
        studyConfig: { studyId: 'study', widgetMode: 'captcha' },
        metadata: { vh_original_session_id: first.sessionId, vh_retry_count: 1 },
      },
    });
    t.equal((await verify(service, second.body as SessionReply, automated)).body.status, 'fail');
    const third = await retry((second.body as SessionReply).sessionId);
    t.match(third.body, { metadata: { vh_original_session_id: first.sessionId, vh_retry_count: 2 } });
    t.equal((await verify(service, third.body as SessionReply)).body.status, 'pass');
    t.match(
      await retry((third.body as SessionReply).sessionId),
      { status: 409, body: { code: 'NOT_RETRYABLE' } },
      'it passed',
    );
  },
);

t.test('a batch takes 100 tokens and no more; one of another organization fails alone', async (t) => {
  const { body } = await verify(service, await createSession(service));
  const [head, payload = '', tail] = body.verificationToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number; exp: number };
  const foreign = Buffer.from(JSON.stringify({ ...claims, aud: 'org_of_others' })).toString('base64url');
  const ask = (tokens: readonly (string | null)[]) =>
    service.call('POST', '/token/verify-batch', { body: { tokens }, headers: key });
  const tokens = Array.from({ length: 99 }, () => body.verificationToken);
  const answer = await ask([`${head}.${foreign}.${tail}`, ...tokens]);
  const [other, ...own] = (answer.body as { results: readonly object[] }).results;
  t.same(other, { success: false, error: 'WRONG_AUDIENCE' });
  t.equal(own.length, 99);
  for (const each of own) t.match(each, { success: true, issuedAt: claims.iat, expiresAt: claims.exp });
  t.equal((await ask([...tokens, ...tokens.slice(0, 2)])).status, 400);
  const { results } = (await ask([null, body.verificationToken])).body as { results: readonly object[] };
  t.same(results[0], { success: false, error: 'MALFORMED' }, 'a page that could not reach the service has no token');
  t.match(results[1], { success: true });
  const single = await service.call('POST', '/token/verify', { body: { token: null }, headers: key });
  t.match(single, { status: 200, body: { success: false, error: 'MALFORMED' } }, 'alone as in a batch');
  t.match(await service.call('POST', '/token/verify', { body: {}, headers: key }), { status: 400 });
});

t.test('a session of a test key is of the test world: a live key does not take its token', async (t) => {
  const { body: minted } = await service.call('POST', `/public/projects/${service.bootstrap.siteKey}/demo-key`, {
    headers: page,
  });
  const demo = { 'x-api-key': (minted as { apiKey: string }).apiKey };
  const { body: session } = await service.call('POST', '/sessions', { body: {}, headers: demo });
  const { body } = await verify(service, session);
  const ask = (headers: Readonly<Record<string, string>>) =>
    service.call('POST', '/token/verify', { body: { token: body.verificationToken }, headers });
  t.match((await ask(key)).body, { success: false, error: 'INVALID' });
  t.match((await ask(demo)).body, { success: true, mode: 'demo' });
  const live = await verify(service, await createSession(service));
  const validate = (headers: Readonly<Record<string, string>>) =>
    service.call('POST', '/token/verify', { body: { token: live.body.verificationToken }, headers });
  t.match((await validate(demo)).body, { success: false, error: 'INVALID' }, 'nor does a demo key take a live one’s');
  t.match((await validate(key)).body, { success: true });
});

t.test(
  'both documented envelopes pass in fresh sessions of a test key, with ids and nonce put in, after the documented calls',
  async (t) => {
    const { body: minted } = await service.call('POST', `/public/projects/${service.bootstrap.siteKey}/demo-key`, {
      headers: page,
    });
    const demo = { 'x-api-key': (minted as { apiKey: string }).apiKey };
    const document: Document = (await service.call('GET', '/openapi.json', { headers: {} })).body;
    const content = document.paths['/public/verify']?.post.requestBody.content['application/json'];
    const examples = Object.values(content?.examples ?? {}).map(({ value }) => value);
    t.equal(examples.length, 2);
    for (const example of examples) {
      const session: SessionReply = (await service.call('POST', '/sessions', { body: {}, headers: demo })).body;
      const { nonce, count } = session.challengeConfig;
      const ids: string[] = [];
      const beganAheadMs = aheadMs;
      if (example.challenges !== undefined)
        for (const { afterMs, body } of exampleCalls) {
          aheadMs = beganAheadMs + afterMs;
          const reply = await askerOf(service, session)(body);
          if ('id' in reply) ids.push(reply.id);
        }
      const answered = example.challenges?.map((challenge, index) => ({ ...challenge, id: ids[index] }));
      if (answered !== undefined) t.equal(count, answered.length, 'as many as the session asks for');
      const { status, body } = await service.call('POST', '/public/verify', {
        body: {
          ...example,
          sessionId: session.sessionId,
          nonce,
          ...(answered === undefined ? {} : { challenges: answered }),
        },
        headers: { ...page, 'x-client-secret': session.clientSecret },
      });
      t.equal(status, 200, JSON.stringify(body));
      t.match(body, { status: 'pass', assuranceLevel: answered === undefined ? 'device_only' : 'biometric' });
    }
  },
);

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: {
            readonly content: {
              readonly 'application/json': { readonly examples: Readonly<Record<string, { readonly value: Example }>> };
            };
          };
        };
      }
    >
  >;
}
interface Example {
  readonly challenges?: readonly object[];
}

t.test('an envelope that names no length is as small as one that does', async (t) => {
  const session = await createSession(service);
  const body = JSON.stringify({ ...envelopeFor(session), padding: 'x'.repeat(790_000) });
  const answer = await fetch(`${service.bootstrap.baseUrl}/public/verify`, {
    method: 'POST',
    headers: { ...page, 'content-type': 'application/json', 'x-client-secret': session.clientSecret },
    body: new Blob([body]).stream(),
    duplex: 'half',
  });
  t.match({ status: answer.status, body: await answer.json() }, { status: 413, body: { code: 'BODY_TOO_LARGE' } });
});
