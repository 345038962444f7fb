/** Challenges one at a time: what a page asks for, what it commits to, and the verdict on captures that were faster than that. */
import t from 'tap';
import type { ChallengeReply, ChallengeRequest, RevealedChallenge, SessionReply } from '../../src/contract/session.js';
import { createRandom } from '../../workers/seeded-random.js';
import { measurePerson, startFaceService, type FaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { automated, createSession, page, verify } from '../helpers/verifications.js';

const faces = await startFaceService(t);
const { service, clock } = faces;
const random = createRandom(5);
const commitment = (letter: string): string => letter.repeat(43);
const first = { index: 0, commitment: null, frameCount: 0 };
const second = { index: 1, commitment: commitment('a'), frameCount: 9 };

const ask = (
  session: SessionReply,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: ChallengeReply }> =>
  service.call('POST', `/public/sessions/${session.sessionId}/challenges`, {
    body,
    headers: { ...page, 'x-client-secret': session.clientSecret, ...headers },
  });
const measure = (session: SessionReply, over: Partial<FaceService> = {}) =>
  measurePerson({ ...faces, ...over }, session, { person: randomDirection(random), seed: 31, random });
const typesOf = ({ fraudSignals }: { readonly fraudSignals: readonly { readonly type: string }[] }): string[] =>
  fraudSignals.map(({ type }) => type);

t.test('each challenge is drawn when it is asked for, once, and the last call ends the capture', async (t) => {
  const types = new Set<string>();
  const starts = new Set<number>();
  for (let round = 0; round < 12; round += 1) {
    const session = await createSession(service);
    const replies: ChallengeReply[] = [];
    for (let index = 0; index < 3; index += 1)
      replies.push((await ask(session, { ...second, index, frameCount: index })).body);
    const revealed = replies as RevealedChallenge[];
    for (const [index, reply] of revealed.entries()) {
      t.match(reply, { index, id: /^chl_/, timeoutMs: 8_000 });
      t.ok(reply.startAfterMs >= 300 && reply.startAfterMs < 900);
      types.add(reply.type);
      starts.add(reply.startAfterMs);
    }
    t.equal(new Set(revealed.map(({ type }) => type)).size, 3, 'no type comes twice');
    const done = await ask(session, { ...second, index: 3 });
    t.match(done, { status: 200, body: { done: true, frameIndices: [] } });
  }
  t.equal(types.size, 5, 'every type is drawn');
  t.ok(starts.size > 10, 'nobody knows when it starts');
});

t.test('the same call again is answered alike; other frames, another order and too many are refused', async (t) => {
  const session = await createSession(service);
  t.match(await ask(session, second), { status: 409, body: { code: 'CHALLENGE_OUT_OF_ORDER', expected: 0 } });
  const one = await ask(session, first);
  t.same((await ask(session, first)).body, one.body, 'an answer that got lost is given again');
  const two = await ask(session, second);
  t.same((await ask(session, second)).body, two.body);
  t.same((await ask(session, first)).body, one.body, 'an old one as well');
  for (const other of [{ commitment: commitment('b') }, { frameCount: 8 }, { commitment: null }])
    t.match(await ask(session, { ...second, ...other }), { status: 409, body: { code: 'CHALLENGE_CONFLICT' } });
  t.match(await ask(session, { ...second, index: 3 }), { status: 409, body: { expected: 2 } });
  const raced = await Promise.all(
    ['c', 'd', 'c', 'd'].map((letter) => ask(session, { ...second, index: 2, commitment: commitment(letter) })),
  );
  t.same(raced.map(({ status }) => status).sort(), [200, 200, 409, 409], 'of calls that race one counts');
  t.match(await ask(session, { ...second, index: 4 }), { status: 409, body: { expected: 3 } });
  t.equal((await ask(session, { ...second, index: 3 })).status, 200);
  t.match(await ask(session, { ...second, index: 4 }), { status: 409, body: { expected: 3 } });
  for (const body of [{}, { ...first, index: -1 }, { ...first, frameCount: 301 }, { ...first, commitment: 'short' }])
    t.match(await ask(session, body), { status: 400, body: { code: 'VALIDATION_FAILED' } });
});

t.test('only the session’s page asks, while the session is open', async (t) => {
  const session = await createSession(service);
  t.match(await ask(session, first, { 'x-client-secret': 'wrong' }), { body: { code: 'INVALID_CLIENT_SECRET' } });
  await verify(service, session, automated);
  t.match(await ask(session, first), { status: 409, body: { code: 'SESSION_COMPLETED' } });
  const late = await createSession(service);
  clock.aheadMs += 1_801_000;
  t.match(await ask(late, first), { status: 410, body: { code: 'SESSION_EXPIRED' } });
  const silent = await createSession(service, { widgetMode: 'invisible' });
  t.match((await ask(silent, first)).body, { done: true }, 'a session without challenges only ends its capture');
});

t.test('who does what is asked passes; the same faster than it takes fails', async (t) => {
  const session = await createSession(service);
  const { status, body } = await verify(service, session, await measure(session));
  t.equal(status, 200);
  t.equal(body.status, 'pass', JSON.stringify(body));
  const hasty = await createSession(service);
  const measured = await measure(hasty, { clock: { aheadMs: 0 } });
  clock.aheadMs += 30_000;
  const answer = await verify(service, hasty, measured);
  t.match(answer.body, { status: 'fail', failureCategory: 'liveness' });
  t.ok(typesOf(answer.body).includes('capture_time_impossible'), typesOf(answer.body).join());
});

t.test('a capture other than the one committed to fails, and so does one that nobody asked for', async (t) => {
  const changes = [
    ({ frames }: Awaited<ReturnType<typeof measure>>) => ({
      frames: { ...frames, atMs: frames.atMs.map((at) => at + 1) },
    }),
    ({ frames }: Awaited<ReturnType<typeof measure>>) => ({
      frames: {
        ...frames,
        points: `AAAA${frames.points.slice(4)}`,
      },
    }),
  ];
  for (const change of changes) {
    const session = await createSession(service);
    const measured = await measure(session);
    const { body } = await verify(service, session, { ...measured, ...change(measured) });
    t.match(body, { status: 'fail', failureCategory: 'liveness' });
    t.ok(typesOf(body).includes('commitment_broken'), typesOf(body).join());
  }
  const asked = await createSession(service);
  const measured = await measure(asked);
  const unasked = await createSession(service);
  const { body } = await verify(service, unasked, measured);
  t.match(body, { status: 'fail', failureCategory: 'liveness', scores: { liveness: Number } });
});

t.test('a capture whose end was never told has no last answer', async (t) => {
  const session = await createSession(service);
  const calls: ChallengeRequest[] = [];
  const measured = await measurePerson(
    {
      clock,
      service: {
        call: (async (method: string, path: string, request: { readonly body: ChallengeRequest }) => {
          calls.push(request.body);
          if (request.body.index === 3) return { status: 200, body: { done: true, frameIndices: [] } };
          return service.call(method, path, request);
        }) as typeof service.call,
      },
    },
    session,
    { person: randomDirection(random), seed: 32, random },
  );
  t.equal(calls.length, 4);
  const { body } = await verify(service, session, measured);
  t.match(body, { status: 'fail', failureCategory: 'liveness' });
  t.notOk(typesOf(body).includes('commitment_broken'), 'which is no fraud');
});
