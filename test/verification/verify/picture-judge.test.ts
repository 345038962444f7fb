/** Threads that judge pictures: none before there is work, a bounded queue with a deadline, and a thread that dies costs one capture. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createPictureJudge, type PictureJudgeOptions } from '../../../src/verification/verify/picture-judge.js';
import { temporaryDirectory } from '../../helpers/directories.js';

/** Answers after as many ms as its first picture is wide; a picture of 1 pixel ends the thread. */
const thread = `export default async ({ pictures: [picture] }) => {
  if (picture.width === 1) process.exit(1);
  await new Promise((resolve) => setTimeout(resolve, picture.width));
  return { faces: [[picture.width]], embedding: null };
};`;

function startJudge(t: Test, over: Partial<PictureJudgeOptions> = {}) {
  const file = join(temporaryDirectory(t), 'thread.mjs');
  writeFileSync(file, thread);
  const metrics = createMetrics();
  const judge = createPictureJudge({ threads: 1, metrics, entry: file, ...over });
  t.teardown(() => judge.close());
  const look = (width: number, organizationId = 'one') =>
    judge.judge(organizationId, [{ width, height: 1, grey: new Uint8Array(1) }]);
  return { judge: look, metrics };
}

const refused = { code: 'OVERLOADED', details: { headers: { 'retry-after': '1' } } };

t.test('more captures than may wait are refused, to be sent again; those that were taken are judged', async (t) => {
  const { judge, metrics } = startJudge(t, { queueMax: 1 });
  const taken = [judge(300)];
  await taken[0];
  taken.push(judge(301), judge(302));
  await t.rejects(judge(303), refused);
  t.same(
    await Promise.all(taken),
    [300, 301, 302].map((width) => ({ faces: [[width]], embedding: null })),
  );
  t.match(await metrics.registry.metrics(), /vh_picture_judgements_total\{result="refused"\} 1/);
});

t.test('a neighbour who sends more than is judged takes nobody’s turn', async (t) => {
  const { judge } = startJudge(t, { queueMax: 30, deadlineMs: 5_000 });
  await judge(2);
  const flood = Array.from({ length: 20 }, (_, index) => judge(400 + index).catch(() => null));
  t.same(await judge(3, 'another'), { faces: [[3]], embedding: null });
  t.equal(await Promise.race([flood.at(-1), Promise.resolve('waits')]), 'waits', 'before the neighbour’s own');
  await Promise.all(flood);
});

t.test('a capture that takes too long, and one whose thread dies, are refused, and the next is judged', async (t) => {
  const { judge } = startJudge(t, { deadlineMs: 2_000 });
  await t.rejects(judge(60_000), refused);
  await t.rejects(judge(1), refused);
  t.same(await judge(2), { faces: [[2]], embedding: null });
});

t.test('a thread that needs longer to start than a capture may wait judges the captures that come again', async (t) => {
  const blank = { width: 8, height: 8, grey: new Uint8Array(64) };
  const start = (deadlineMs: number) => {
    const judge = createPictureJudge({ threads: 1, metrics: createMetrics(), deadlineMs: Math.round(deadlineMs) });
    t.teardown(() => judge.close());
    return () => judge.judge('one', [blank]);
  };
  await start(60_000)();
  const startedAt = performance.now();
  await start(60_000)();
  // A little less than a start and a judgement take: each start has another speed, so that a deadline which was met is too long.
  let deadlineMs = 0.75 * (performance.now() - startedAt);
  let send = start(deadlineMs);
  while (
    await send().then(
      () => true,
      () => false,
    )
  ) {
    deadlineMs *= 0.8;
    send = start(deadlineMs);
  }
  let findings = await send().catch(() => null);
  for (let tries = 2; findings === null && tries < 100; tries += 1) findings = await send().catch(() => null);
  t.match(findings, { faces: [null], embedding: null });
});

t.test('without the built thread the call fails and says what to build', async (t) => {
  const { judge } = startJudge(t, { entry: join(temporaryDirectory(t), 'none.mjs') });
  await t.rejects(judge(5), { message: /run npm run build/ });
});
