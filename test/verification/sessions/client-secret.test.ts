import { join } from 'node:path';
import t from 'tap';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { parseAddress } from '../../../src/net/address.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { storeUnavailable } from '../../../src/errors.js';
import {
  createSecretGuard,
  hashClientSecret,
  wrongSecretsPerAddress,
} from '../../../src/verification/sessions/client-secret.js';
import { temporaryDirectory } from '../../helpers/directories.js';

const startMs = 1_800_000_000_000;
const session = { projectId: 'proj_1', secretHash: hashClientSecret('right') };

async function openGuard(test: Parameters<typeof temporaryDirectory>[0]) {
  const counters = await openMemoryCounters({
    snapshotPath: join(temporaryDirectory(test), 'counters'),
    keysMax: 10_000,
    logger: createLogger('silent', { write: () => undefined }),
  });
  const clock = { nowMs: startMs };
  const guard = createSecretGuard({ counters, metrics: createMetrics(), now: () => clock.nowMs });
  const attempt = async (secret: string | undefined, address = '203.0.113.1'): Promise<string> => {
    try {
      await guard.check(parseAddress(address), secret, session);
      return 'ok';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { clock, attempt, close: () => counters.close() };
}

t.test('of 10,000 wrong secrets as many are 401 as the limit says, and the right one is always taken', async (t) => {
  const { attempt, clock, close } = await openGuard(t);
  const answers = new Map<string, number>();
  for (let n = 0; n < 10_000; n += 1) {
    const answer = await attempt(`guess-${n}`);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  t.same(Object.fromEntries(answers), {
    INVALID_CLIENT_SECRET: wrongSecretsPerAddress,
    RATE_LIMIT_EXCEEDED: 10_000 - wrongSecretsPerAddress,
  });
  t.equal(await attempt('right'), 'ok', 'somebody else may sit behind the same address');
  t.equal(await attempt('guess', '198.51.100.7'), 'INVALID_CLIENT_SECRET', 'elsewhere nothing is used up');
  clock.nowMs += 600_000;
  t.equal(await attempt('guess'), 'INVALID_CLIENT_SECRET', 'the window ends');
  await close();
});

t.test('no secret, a secret of no session and an endless one are all the same answer', async (t) => {
  const { attempt, close } = await openGuard(t);
  t.equal(await attempt(undefined), 'INVALID_CLIENT_SECRET');
  t.equal(await attempt('x'.repeat(1_000_000)), 'INVALID_CLIENT_SECRET');
  t.equal(await attempt(''), 'INVALID_CLIENT_SECRET');
  await close();
});

t.test('with the counters store away a wrong secret is still wrong', async (t) => {
  const guard = createSecretGuard({
    counters: { takeRate: () => Promise.reject(storeUnavailable('away')) },
    metrics: createMetrics(),
    now: () => startMs,
  });
  const attempt = parseAddress('203.0.113.1');
  await t.rejects(guard.check(attempt, 'wrong', session), { code: 'INVALID_CLIENT_SECRET' });
  await t.resolves(guard.check(attempt, 'right', session));
  await t.rejects(guard.check(attempt, 'right', null), { code: 'INVALID_CLIENT_SECRET' });
});
