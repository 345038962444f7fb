import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
const patch = createPatch(t, service);
const score = async (fields: object): Promise<ScoreReply> =>
  (await service.call('POST', '/lite/score', { body: { clientIp: '203.0.113.9', ...fields } })).body;

t.test('a score of 0 is never blocked or reviewed, whatever the thresholds: absence alone never blocks', async (t) => {
  for (const liteConfig of [
    { reviewLow: 0, blockThreshold: 0 },
    { reviewLow: 0, blockThreshold: 100 },
    { reviewLow: 0.2, blockThreshold: 0.5 },
    { reviewLow: 0, blockThreshold: 0, noProbeRiskScore: 100 },
  ]) {
    await patch({ config: { liteConfig: null } });
    await patch({ config: { liteConfig } });
    const reply = await score({ sessionId: JSON.stringify(liteConfig) });
    t.match(reply, { score: 0, recommendation: 'allow', verdictClass: 'unknown' }, JSON.stringify(liteConfig));
  }
  await patch({ config: { liteConfig: null } });
  await patch({ config: { liteConfig: { reviewLow: 0, blockThreshold: 1 } } });
  const driven = await score({ sessionId: 'driven', userAgent: 'HeadlessChrome/120.0' });
  t.ok(driven.score === 0 || driven.recommendation !== 'allow', 'a score above 0 meets the thresholds');
  const { body } = await service.call('POST', '/lite/simulate', { body: { reviewLow: 0, blockThreshold: 0 } });
  t.match(body, { hypothetical: { block: Number, allow: Number } });
});
