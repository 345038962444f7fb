import t from 'tap';
import { createPool } from '../../../src/pool/pool.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { markCapture } from '../../../workers/verification/marks.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman } from '../../helpers/captures.js';
import { biometricEnvelope, factsOf } from '../../helpers/verdict-facts.js';

t.test('a pool thread judges and marks as the core does', async (t) => {
  const pool = createPool({
    entry: new URL('../../../workers/main.js', import.meta.url),
    threads: 1,
    queueMax: 10,
    deadlineMs: 30_000,
    metrics: createMetrics(),
  });
  t.teardown(() => pool.close());
  const facts = factsOf(biometricEnvelope(captureHuman({ topology: 'mesh478' })));
  t.same(await pool.run({ kind: 'verdict', facts }), judgeSession(facts));
  t.same(await pool.run({ kind: 'marks', envelope: facts.envelope }), markCapture(facts.envelope));
});
