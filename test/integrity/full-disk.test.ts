/** A process with everything embedded, and no room on its disk any more. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../helpers/directories.js';
import { startProcess } from '../helpers/process.js';
import { startScoreLoad, type ScoreLoad } from '../helpers/score-load.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const diskBytes = 160 * 1_048_576;
const roomBytes = 1_048_576;
const loggedBytesMax = 100_000;

const directory = temporaryDirectory(t);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', directory], {
  encoding: 'utf8',
});
t.teardown(() => (mounted.status === 0 ? void spawnSync('umount', ['-l', directory]) : undefined));

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

if (mounted.status !== 0)
  t.comment(`Left out: a full disk. A small file system cannot be mounted here (that takes root): ${mounted.stderr}`);
else
  t.test(
    'without room on the disk scores are refused with 503, what was answered is kept, and it goes on with room',
    async (t) => {
      const VH_DATA_DIR = directory;
      const service = startProcess(t, { VH_DATA_DIR, VH_POOL_THREADS: '1' });
      const keys = await service.ready();
      const load = startScoreLoad(
        { keys, members: [{ roles: 'api', baseUrl: () => keys.baseUrl }] },
        { callers: 6, pauseMs: 1 },
      );
      await load.further(50);
      t.comment(`used ${Math.round((diskBytes - freeBytes()) / 1_048_576)} MB`);
      const filler = join(directory, 'filler');
      writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes() - roomBytes)));
      const loggedBefore = loggedBytes();
      await waitUntil(() => load.answers.refused > 60, 'there is no room left', 90_000);
      t.comment(
        `${load.answers.total} answered, ${load.answers.refused} refused, ${loggedBytes() - loggedBefore} B logged`,
      );
      t.ok(loggedBytes() - loggedBefore < loggedBytesMax, 'the log is bounded');

      rmSync(filler);
      await goesOn(load);
      await load.stop();
      t.same([...new Set(load.faults)].slice(0, 5), [], 'nothing but 200, and 503 with Retry-After, and each in time');
      await service.end('SIGKILL');

      writeFileSync(filler, Buffer.alloc(freeBytes()));
      const sentence = new RegExp(`\nVerifyHuman did not start: .*${directory} is not writable .*ENOSPC.*\n$`);
      await t.rejects(startProcess(t, { VH_DATA_DIR }).listening(), { message: sentence });
      rmSync(filler);
      const again = startProcess(t, { VH_DATA_DIR });
      const { baseUrl, projectKey } = await again.ready();
      const evidenceOf = (receiptId: string) =>
        fetch(`${baseUrl}/lite/score/${receiptId}/evidence`, { headers: { 'x-api-key': projectKey } });
      const lost: string[] = [];
      for (const receiptId of load.receipts.values()) {
        const isThere = async (): Promise<boolean> => (await evidenceOf(receiptId)).status === 200;
        await waitUntil(isThere, receiptId, 60_000).catch(() => lost.push(receiptId));
      }
      t.same(lost, [], `none of ${load.receipts.size} answered receipts is lost`);

      function loggedBytes(): number {
        const { stdout, stderr } = service.output();
        return stdout.length + stderr.length;
      }
    },
  );

async function goesOn(load: ScoreLoad): Promise<void> {
  await waitUntil(
    async () => {
      const before = load.answers.refused;
      await load.further(20);
      return load.answers.refused === before;
    },
    'scores are answered again',
    60_000,
  );
}
