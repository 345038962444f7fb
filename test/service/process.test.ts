import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { packageRoot } from '../../src/package-root.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { lockDataDirectory } from '../../src/stores/data-lock.js';
import { commandEnvironment, programOf, startProcess } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { migratedDirectory } from '../helpers/embedded.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

const run = promisify(execFile);

/** Whether a process has a file of this name open. */
const hasOpen = (pid: number | undefined, name: string): boolean =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith(name);
    } catch {
      return false;
    }
  });

const score = async (bootstrap: Bootstrap, sessionId: string): Promise<ScoreReply> => {
  const answer = await fetch(`${bootstrap.baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': bootstrap.projectKey },
    body: JSON.stringify({ sessionId, clientIp: '203.0.113.9' }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as ScoreReply;
};

/** Each start takes seconds: the tests of a running process share one, whose directory the next two processes go on with. */
const directory = temporaryDirectory(t);

t.test(
  'the first npm start prints where its keys are and a curl line that works, a pipe gets no key, and SIGTERM reaches the service',
  async (t) => {
    const service = startProcess(t, { VH_DATA_DIR: directory }, 'npm-start');
    const bootstrap = await service.ready();
    const { stdout, stderr } = service.output();
    for (const secret of [bootstrap.projectKey, bootstrap.organizationKey])
      t.notOk((stdout + stderr).includes(secret), 'standard output is a pipe, and so may be a log');
    const lineOf = (command: string) => stdout.split('\n').find((text) => text.trim().startsWith(command)) ?? 'false';
    const shell = (command: string) => run('sh', ['-c', `${lineOf('eval')}\n${command}`], { cwd: packageRoot });
    const { stdout: reply } = await shell(lineOf('curl'));
    const scored = JSON.parse(reply) as ScoreReply;
    t.match(scored, { score: 0, sessionId: 'session-1' });
    const notes = scored.evidence.notes.map(({ code }) => code);
    t.notOk(notes.includes('address_not_public'), 'its address could be a respondent’s');
    const { stdout: again } = await shell('curl -s "$API/projects/$PROJECT_ID" -H "X-API-Key: $ORGANIZATION_KEY"');
    t.match(JSON.parse(again), { projectId: bootstrap.projectId }, 'the variables fit the calls of the documentation');
    t.equal(await service.end('SIGTERM'), 0, 'SIGTERM ends it with 0');
    const life = ['starting', 'started', 'stopping', 'ended'];
    const lines = service
      .output()
      .stderr.split('\n')
      .filter((line) => life.some((msg) => line.includes(`"${msg}"`)));
    t.match(
      lines.map((line) => JSON.parse(line) as object),
      [
        { msg: 'starting', version: /^\d/, roles: ['api', 'consumers', 'audience'] },
        { msg: 'started', startMs: Number },
        { msg: 'stopping', reason: 'stopped by SIGTERM' },
        { msg: 'ended', code: 0 },
      ],
      'its log shows its life',
    );
    await t.rejects(fetch(`${bootstrap.adminUrl}/healthz`), 'and nothing is left that listens');
  },
);

/** Warns a few times a second, as a library may. */
const warner = encodeURIComponent(
  'import { isMainThread } from "node:worker_threads"; if (isMainThread) setInterval(() => process.emitWarning("of a test"), 200).unref();',
);

t.test(
  'a first start that finds a port taken loses no key, and warnings of Node.js are lines of the log',
  async (t) => {
    const directory = await migratedDirectory(t);
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const refused = startProcess(t, { VH_DATA_DIR: directory, ADMIN_PORT: String(port) });
    await t.rejects(refused.ready());
    t.match(refused.output().stderr, `port ${port} is taken`);
    holder.close();
    const service = startProcess(t, {
      VH_DATA_DIR: directory,
      NODE_OPTIONS: `--import=data:text/javascript,${warner}`,
    });
    t.equal((await score(await service.ready(), 'after-all')).score, 0, 'its keys are in bootstrap.json');
    const logged = () =>
      /"warning":"Warning","reason":"of a test".*"a warning of Node.js"/.test(service.output().stderr);
    await waitUntil(logged, 'a warning of Node.js is a line of the log');
    t.equal(await service.end('SIGTERM'), 0);
    const lines = service.output().stderr.split('\n');
    const foreign = lines
      .slice(lines.findIndex((line) => line.includes('"starting"')))
      .filter((line) => !/^(\{.*|)$/.test(line));
    t.same(foreign, [], 'and nothing else is between its lines');
  },
);

t.test('a terminal gets the keys of the first start', async (t) => {
  const directory = await migratedDirectory(t);
  const start = [process.execPath, ...programOf('start')].join(' ');
  const child = spawn('script', ['--quiet', '--command', `exec ${start}`, '/dev/null'], {
    env: { ...process.env, PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', VH_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  await waitUntil(() => /Score a session:\s+curl/.test(shown), 'it is up');
  const { projectKey, organizationKey } = JSON.parse(
    readFileSync(join(directory, 'bootstrap.json'), 'utf8'),
  ) as Bootstrap;
  for (const secret of [projectKey, organizationKey]) t.ok(shown.includes(secret));
  t.ok(shown.includes(`VH_DATA_DIR='${directory}' npm run --silent console`), 'the way into the console');
  child.kill('SIGTERM');
  await once(child, 'exit');
});

t.test('a process that goes on where another ended', async (t) => {
  const first = startProcess(t, { VH_DATA_DIR: directory });
  const bootstrap = await first.ready();

  t.test('bootstrap.json and master.key are for their owner only', (t) => {
    for (const file of ['bootstrap.json', 'master.key'])
      t.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file);
    t.same(Object.keys(JSON.parse(readFileSync(join(directory, 'bootstrap.json'), 'utf8')) as object).sort(), [
      'adminUrl',
      'audienceUrl',
      'baseUrl',
      'organizationId',
      'organizationKey',
      'probeKey',
      'projectId',
      'projectKey',
      'siteKey',
      'siteUrl',
    ]);
    t.end();
  });

  t.test('a second process on the same data directory is refused with a sentence that names the first', async (t) => {
    const second = startProcess(t, { VH_DATA_DIR: directory });
    await t.rejects(second.ready());
    t.match(second.output().stderr, new RegExp(`process ${first.child.pid}\\b`));
    t.equal((await score(bootstrap, 'still-serving')).score, 0);
  });

  t.test('npm run token prints a dashboard token and nothing else, while the service runs', async (t) => {
    const { stdout } = await run(process.execPath, [...programOf('token'), '--role', 'owner'], {
      env: { ...process.env, VH_DATA_DIR: directory },
    });
    t.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const answer = await fetch(`${bootstrap.baseUrl}/projects/${bootstrap.projectId}`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    t.equal(answer.status, 200);
  });

  t.test('kill -9: no receipt that was answered is lost, and the keys stay', async (t) => {
    const answered: ScoreReply[] = [];
    let killed = false;
    const caller = async (name: string): Promise<void> => {
      for (let n = 0; !killed; n += 1) {
        const reply = await score(bootstrap, `${name}-${n}`).catch(() => null);
        if (reply !== null) answered.push(reply);
        if (answered.length >= 200 && !killed) {
          killed = true;
          await first.end('SIGKILL');
        }
      }
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(caller));

    const second = startProcess(t, { VH_DATA_DIR: directory });
    const after = await second.ready();
    t.equal(after.projectKey, bootstrap.projectKey);
    t.notMatch(second.output().stdout, /First start/);
    const lost: string[] = [];
    for (const { receiptId, evidence } of answered)
      if (!(await evidenceArrives(after, receiptId, evidence))) lost.push(receiptId);
    t.same(lost, [], `${answered.length} answered receipts are there`);
  });
});

/** The consumer records what the log holds; waits for it within a bound. */
async function evidenceArrives(
  bootstrap: Bootstrap,
  receiptId: string,
  evidence: ScoreReply['evidence'],
): Promise<boolean> {
  return pollUntil(`the evidence of ${receiptId}`, async () => {
    const answer = await fetch(`${bootstrap.baseUrl}/lite/score/${receiptId}/evidence`, {
      headers: { 'x-api-key': bootstrap.projectKey },
    });
    if (answer.status === 200) {
      const reply = (await answer.json()) as EvidenceReply;
      return reply.provenance.faithful && JSON.stringify(reply.evidence) === JSON.stringify(evidence);
    }
    await answer.body?.cancel();
    return undefined;
  }).catch(() => false);
}

t.test(
  'SIGTERM ends a start that waits for its database, and one that waits for its directory, and leaves nothing',
  async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const directory = temporaryDirectory(t);
    const waiting = startProcess(t, { VH_DATA_DIR: directory, DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/vh` });
    await once(silent, 'connection');
    t.equal(await waiting.end('SIGTERM'), 0);
    t.match(waiting.output().stderr, /did not start: stopped by SIGTERM/);
    const lock = await lockDataDirectory(directory);
    t.pass('the lock is free again');

    const second = startProcess(t, { VH_DATA_DIR: directory });
    await waitUntil(() => hasOpen(second.child.pid, 'verifyhuman.lock'), 'it waits for the lock');
    t.equal(await second.end('SIGTERM'), 0);
    await lock.release();
    t.same(readdirSync(directory).sort(), ['master.key', 'verifyhuman.lock']);
  },
);

const separated = ['-Urpf', '--mount-proc'];
t.test(
  'as process 1 of a container it obeys SIGTERM while it starts',
  { skip: spawnSync('unshare', [...separated, 'true']).status === 0 ? false : 'namespaces cannot be made here' },
  async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const outer = spawn('unshare', [...separated, process.execPath, ...programOf('start')], {
      env: {
        ...commandEnvironment,
        ...{ PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', VH_DATA_DIR: temporaryDirectory(t) },
        DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/vh`,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(outer, 'exit');
    await once(silent, 'connection');
    const inner = Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8'));
    t.teardown(() => killIfThere(inner));
    process.kill(inner, 'SIGTERM');
    t.same(await ended, [0, null]);
  },
);

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

t.test('a wrong setting stops the start with a sentence, not a stack', async (t) => {
  const service = startProcess(t, { VH_DATA_DIR: temporaryDirectory(t), VH_BOOSTRAP: 'on' });
  await t.rejects(service.ready());
  t.match(service.output().stderr, /^VerifyHuman did not start: VH_BOOSTRAP is not a setting/);
  t.notMatch(service.output().stderr, /at .*\.js/);
});
