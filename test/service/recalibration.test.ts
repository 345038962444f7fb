/** A project’s own probabilities: offered by the report, applied and undone by a change of the project. */
import t from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { CalibrationReply } from '../../src/contract/reports.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
let sessions = 0;
const score = async (sourceId = 'a'): Promise<ScoreReply> => {
  const body = { sessionId: `own-${(sessions += 1)}`, clientIp: '8.8.4.4', sourceId };
  return (await service.call('POST', '/lite/score', { body })).body;
};

t.test('a report without labels offers no curve, and says what is missing', async (t) => {
  const reply: { status: number; body: CalibrationReply } = await service.call('GET', '/lite/calibration');
  t.match(reply, {
    status: 200,
    body: { recalibration: { status: 'insufficient_data', curve: null, shortfall: { honest: 598, fraud: 30 } } },
  });
});

t.test('a curve moves the probability alone, of the project or of one source, until it is taken back', async (t) => {
  const patch = createPatch(t, service);
  const model = await score();
  t.ok((model.probability?.value ?? 1) < 0.2);
  const curve = (value: number) => [
    [0, value, value - 0.1, value + 0.1],
    [1, 1, 0.9, 1],
  ];
  await patch({
    config: { liteConfig: { recalibration: curve(0.4), perSource: { b: { recalibration: curve(0.7) } } } },
  });
  const [own, other] = [await score(), await score('b')];
  t.ok((own.probability?.value ?? 0) >= 0.4 && (own.probability?.low ?? 0) >= 0.3);
  t.ok((other.probability?.value ?? 0) >= 0.7);
  for (const reply of [own, other]) {
    t.equal(reply.score, model.score);
    t.equal(reply.recommendation, model.recommendation);
    t.equal(reply.falseBlockPercentile, model.falseBlockPercentile);
  }
  await patch({ config: { liteConfig: { recalibration: null } } });
  t.same((await score()).probability, model.probability);
  t.ok(((await score('b')).probability?.value ?? 0) >= 0.7, 'the source keeps its own');
  await patch({ config: { liteConfig: null } });
  t.same((await score('b')).probability, model.probability);
});

t.test('a curve that no labels can give is refused', async (t) => {
  const set = (recalibration: unknown): Promise<{ status: number; body: ErrorBody }> =>
    service.call('PATCH', `/projects/${service.bootstrap.projectId}`, {
      body: { config: { liteConfig: { recalibration } } },
      headers: { 'x-api-key': service.bootstrap.organizationKey },
    });
  for (const recalibration of [
    [],
    [[0, 0, 0, 1]],
    [
      [0, 0, 0],
      [1, 1, 1],
    ],
    [
      [0, 0.5, 0, 1],
      [1, 0.4, 0, 1],
    ],
    'platt',
  ])
    t.match(
      await set(recalibration),
      { status: 400, body: { code: 'VALIDATION_FAILED' } },
      JSON.stringify(recalibration),
    );
});
