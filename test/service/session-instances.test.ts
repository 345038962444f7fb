/** Sessions at two instances that share their stores: one gives a challenge or a puzzle, the other takes what comes of it. */
import t from 'tap';
import { solveProof } from '../../sdk/widget/proof.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { RequiredProof } from '../../src/contract/session-proof.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'sessions at two instances');

if (stack !== null) {
  const settings = {
    ...(await realStoreSettings(t, stack)),
    ...{ VH_POOL_THREADS: '1', VH_TRUSTED_PROXIES: '127.0.0.1', VH_PUBLIC_PER_ADDRESS: '20' },
  };
  const first = await startTestService(t, { ...settings, VH_BOOTSTRAP: 'on' });
  const second = await startTestService(t, { ...settings, VH_BOOTSTRAP: 'off', VH_ROLES: 'api' });
  const { siteKey } = first.bootstrap;
  const start = (at: Pick<TestService, 'call'>, address: string, body: object = {}) =>
    at.call('POST', '/public/sessions', { body: { siteKey, ...body }, headers: { 'x-forwarded-for': address } });

  t.test('a puzzle of one instance is solved at the other, for one session of both', async (t) => {
    let asked = await start(first, '81.2.69.1');
    for (let n = 0; n < 20 && asked.status === 201; n += 1) asked = await start(n % 2 ? first : second, '81.2.69.1');
    t.equal(asked.status, 428, 'both count the address');
    const { proof: puzzle } = asked.body as { readonly proof: RequiredProof };
    const proof = await solveProof(puzzle, new AbortController().signal);
    const made = await Promise.all([first, second].map((at) => start(at, '81.2.69.1', { proof })));
    t.same(made.map(({ status }) => status).sort(), [201, 428]);
  });

  t.test('challenges are revealed in order, whichever instance is asked', async (t) => {
    const session: SessionReply = (await start(first, '81.2.69.2', { widgetMode: 'standard' })).body;
    const ask = (at: Pick<TestService, 'call'>, index: number) =>
      at.call('POST', `/public/sessions/${session.sessionId}/challenges`, {
        body: { index, commitment: null, frameCount: 0 },
        headers: { 'x-client-secret': session.clientSecret },
      });
    const shown = (await ask(first, 0)).body;
    t.same((await ask(second, 0)).body, shown, 'the same call is answered alike');
    t.match(await ask(second, 2), { status: 409, body: { code: 'CHALLENGE_OUT_OF_ORDER', expected: 1 } });
    const [one, other] = await Promise.all([ask(first, 1), ask(second, 1)]);
    t.equal(one.status, 200);
    t.same(one.body, other.body, 'of two at once one is kept');
  });
}
