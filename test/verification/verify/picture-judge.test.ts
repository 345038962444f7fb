/** Threads that judge pictures: none before there is work, a bounded queue with a deadline, and a thread that dies costs one capture. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { packageRoot } from '../../../src/package-root.js';
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
  const look = (width: number, organizationId = 'one', respondentTrusted = false) =>
    judge.judge({ organizationId, respondentTrusted }, [{ width, height: 1, grey: new Uint8Array(1) }]);
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

t.test('strangers who fill the queue of an organization take no turn of those whom its backend named', async (t) => {
  const { judge } = startJudge(t, { queueMax: 4, deadlineMs: 20_000 });
  await judge(2);
  const flood = Array.from({ length: 5 }, (_, index) => judge(400 + index));
  await t.rejects(judge(1_000), refused, 'the queue is full');
  t.same(await judge(3, 'one', true), { faces: [[3]], embedding: null });
  t.equal(await Promise.race([flood.at(-1), Promise.resolve('waits')]), 'waits', 'before the strangers');
  await Promise.all(flood);
});

t.test('a capture that takes too long, and one whose thread dies, are refused, and the next is judged', async (t) => {
  const { judge } = startJudge(t, { deadlineMs: 2_000 });
  await t.rejects(judge(60_000), refused);
  await t.rejects(judge(1), refused);
  t.same(await judge(2), { faces: [[2]], embedding: null });
});

t.test('a capture that could only begin late is refused while it waits, and ends no thread', async (t) => {
  const { judge } = startJudge(t, { deadlineMs: 5_000 });
  await judge(2);
  const order: string[] = [];
  const first = judge(4_250).then(() => order.push('judged'));
  const second = t.rejects(judge(4_251), refused).then(() => order.push('refused'));
  await Promise.all([first, second]);
  t.same(order, ['refused', 'judged']);
});

/** Loads the built thread as Piscina does, judges one picture, and posts how many files it had read before and after. */
const countReads = `
  const { parentPort } = require('node:worker_threads');
  const files = require('node:fs/promises');
  const { readFile } = files;
  let reads = 0;
  files.readFile = (...args) => ((reads += 1), readFile(...args));
  require('node:module').syncBuiltinESMExports();
  (async () => {
    const judge = await (await import(require('node:worker_threads').workerData.entry)).default;
    const before = reads;
    const pictures = [{ width: 8, height: 8, grey: new Uint8Array(64) }];
    const findings = await judge({ pictures });
    parentPort.postMessage({ before, after: reads, findings });
  })();
`;

t.test('a thread has read its models before it takes a capture, whose deadline so ends no start', async (t) => {
  const directory = join(packageRoot, 'dist/sdk/v1/models');
  const entry = pathToFileURL(join(packageRoot, 'dist/workers/judge-pictures.js')).href;
  const worker = new Worker(countReads, { eval: true, workerData: { directory, entry } });
  t.teardown(async () => void (await worker.terminate()));
  const [posted] = (await once(worker, 'message')) as [{ before: number; after: number; findings: object }];
  t.ok(posted.before > 0, `${posted.before} files`);
  t.equal(posted.after, posted.before, 'a capture reads none');
  t.match(posted.findings, { faces: [null], embedding: null });
});

t.test('without the built thread the call fails and says what to build', async (t) => {
  const { judge } = startJudge(t, { entry: join(temporaryDirectory(t), 'none.mjs') });
  await t.rejects(judge(5), { message: /run npm run build/ });
});
