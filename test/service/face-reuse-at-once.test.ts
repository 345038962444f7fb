/** One photograph for many respondents at one moment, over HTTP, on either database. */
import t, { type Test } from 'tap';
import { createRandom } from '../../workers/seeded-random.js';
import { measurePerson } from '../helpers/face-sessions.js';
import { randomDirection, shippedEmbeddingOf } from '../helpers/faces.js';
import { startTestService } from '../helpers/service.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { createSession, verify } from '../helpers/verifications.js';

const completions = 20;

async function completeAtOnce(t: Test, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const random = createRandom(23);
  const clock = { aheadMs: 0 };
  const settings = { VH_PUBLIC_PER_ADDRESS: '0', ...environment };
  const service = await startTestService(t, settings, { now: () => Date.now() + clock.aheadMs });
  const photograph = randomDirection(random);
  const prepared = [];
  for (let seed = 1; seed <= completions; seed += 1) {
    const session = await createSession(service, { respondentId: `r-${seed}` });
    const measured = await measurePerson({ service, clock }, session, { person: photograph, seed, random });
    prepared.push({ session, capture: { ...measured, embedding: shippedEmbeddingOf(photograph, random) } });
  }
  const answers = await Promise.all(prepared.map(({ session, capture }) => verify(service, session, capture)));
  t.strictSame(
    answers.filter(({ status }) => status !== 200).map(({ body }) => body),
    [],
    'all are answered',
  );
  const statuses = answers.map(({ body }) => body.status);
  t.equal(statuses.filter((status) => status === 'pass').length, 3);
  t.equal(statuses.filter((status) => status === 'fail').length, completions - 3);
}

t.test('of twenty completions of one face at one moment all are answered, and three pass', { timeout: 240_000 }, (t) =>
  completeAtOnce(t),
);

const stack = findStack(t, 'completions of one face on PostgreSQL');
if (stack !== null)
  t.test('on PostgreSQL as well', { timeout: 240_000 }, async (t) =>
    completeAtOnce(t, { DATABASE_URL: await createDatabase(t, stack) }),
  );
