/** The shadow of a project: set, compared and taken back, with no effect on a verdict. */
import t from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { ScoreReply } from '../../src/contract/score.js';
import type { ShadowReply } from '../../src/contract/shadow.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
let sessions = 0;
const score = async (): Promise<ScoreReply> => {
  const body = { sessionId: `shadow-${(sessions += 1)}`, clientIp: '8.8.4.4', sourceId: 'a' };
  return (await service.call('POST', '/lite/score', { body })).body;
};
const read = (query = ''): Promise<{ status: number; body: ShadowReply & ErrorBody }> =>
  service.call('GET', `/lite/shadow${query}`);
const set = (shadow: unknown): Promise<{ status: number; body: ErrorBody }> =>
  service.call('PATCH', `/projects/${service.bootstrap.projectId}`, {
    body: { config: { liteConfig: { shadow } } },
    headers: { 'x-api-key': service.bootstrap.organizationKey },
  });

t.test('a shadow is compared from when it is set until it is taken back, and no verdict follows it', async (t) => {
  const patch = createPatch(t, service);
  t.match(await read(), { status: 200, body: { config: null, compared: 0, note: /No shadow is set/ } });
  const before = await score();
  const shadow = {
    noProbeRiskScore: 60,
    geoRiskWeights: { us: 2 },
    perSource: { b: { blockThreshold: 90 } },
    modelVersion,
  };
  await patch({ config: { liteConfig: { shadow } } });
  const after = await score();
  t.match(after, { recommendation: before.recommendation, score: before.score, ceilings: before.ceilings });
  await waitUntil(async () => (await read()).body.compared === 2, 'both sessions are recorded');
  const { body } = await read('?sourceId=a');
  t.match(body, {
    ...{ modelVersion, complete: true, note: null, agreements: 0, otherModel: 0 },
    ...{ config: { noProbeRiskScore: 60, geoRiskWeights: { US: 2 } } },
    ...{ live: { allow: 2 }, shadow: { review: 2 }, flips: [{ from: 'allow', to: 'review', sessions: 2 }] },
    examples: [{ sessionId: after.sessionId, givenScore: before.score, score: 60 }, { sessionId: before.sessionId }],
  });
  await patch({ config: { liteConfig: { shadow: null } } });
  t.match((await read()).body, { config: null, compared: 0 });
});

t.test('a shadow that no project could have is refused, and says what to send', async (t) => {
  for (const [shadow, path, message] of [
    [{ reviewLow: 90 }, '/config/liteConfig/shadow/reviewLow', /90 is above 75/],
    [{ blockThreshold: 30 }, '/config/liteConfig/shadow/reviewLow', /40 is above 30/],
    [
      { perSource: { 'a/b': { blockThreshold: 30 } } },
      '/config/liteConfig/shadow/perSource/a~1b/reviewLow',
      /above 30/,
    ],
    [{ modelVersion: '0'.repeat(16) }, '/config/liteConfig/shadow/modelVersion', new RegExp(modelVersion)],
    [{ modelVersion: 'newest' }, '/config/liteConfig/shadow/modelVersion', /./],
    [{ blockThreshold: 101 }, '/config/liteConfig/shadow/blockThreshold', /./],
    [{ geoRiskWeights: { de: 1, DE: 2 } }, '/config/liteConfig/shadow/geoRiskWeights/DE', /same country/],
    [{ shadow: {} }, '/config/liteConfig/shadow/shadow', /./],
  ] as const)
    t.match(
      await set(shadow),
      { status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path, message }] } },
      JSON.stringify(shadow),
    );
  t.match((await read('?sourceId=nobody')).body, { code: 'VALIDATION_FAILED' });
});
