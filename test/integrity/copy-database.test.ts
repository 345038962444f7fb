/** A service on embedded stores moves to real ones: everything that it recorded is there, and scoring goes on with what it knew. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { repositoryPath } from '../helpers/repository.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { pollUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const stack = findStack(t, 'a move to real stores');
const execute = promisify(execFile);

const sessionsOf = async (service: TestService): Promise<number> =>
  ((await service.call('GET', '/lite/sessions?limit=100')).body as { readonly sessions: readonly unknown[] }).sessions
    .length;

/** Scores sessions of one respondent in two studies, and reports one as fraud. */
async function fill(service: TestService): Promise<string> {
  const receipts: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const body = { sessionId: `s-${n}`, clientIp: `81.2.69.${n + 1}`, respondentId: `r-${n % 20}`, studyId: 'study-1' };
    receipts.push(
      ((await service.call('POST', '/lite/score', { body })).body as { readonly receiptId: string }).receiptId,
    );
  }
  const event = { sessionId: 's-3', type: 'buyer_reject', reasonClass: 'fraud', occurredAt: new Date().toISOString() };
  await service.call('POST', '/lite/events', { body: { events: [event] } });
  await pollUntil('the sessions and the outcome', async () => {
    const { body } = await service.call('GET', '/lite/sessions/s-3');
    const { outcomes } = body as { readonly outcomes: readonly { readonly matched: boolean }[] };
    return (await sessionsOf(service)) === 40 && outcomes[0]?.matched === true ? true : undefined;
  });
  return receipts[3] ?? '';
}

/** Lets consumers of the embedded log seem to have read less, or as much as before. */
async function moveGroups(directory: string, by: '- 1' | '+ 1'): Promise<void> {
  const database = await openEmbeddedDatabase({ directory: join(directory, 'database') });
  await database.query(`UPDATE log_groups SET next_offset = next_offset ${by}`);
  await database.close();
}

if (stack !== null)
  t.test('all rows are copied, a repeated copy adds none, and the service goes on from them', async (t) => {
    const embedded = await startTestService(t);
    const receipt = await fill(embedded);
    const { projectKey, projectId } = embedded.bootstrap;
    await embedded.stop();
    const directory = embedded.dataDirectory;
    const own = await realStoreSettings(t, stack);
    const settings = { ...own, VH_MASTER_KEY: readFileSync(join(directory, 'master.key'), 'utf8').trim() };
    const copy = (environment: Readonly<Record<string, string>>) =>
      execute(process.execPath, [repositoryPath('dist/src/cli/copy-database.js')], {
        env: { PATH: process.env['PATH'], VH_DATA_DIR: directory, ...environment },
      }).then(
        ({ stdout }) => stdout,
        (error: { readonly stderr: string }) => error.stderr,
      );
    t.match(await copy({}), /DATABASE_URL is not set/);
    const target = { DATABASE_URL: settings.DATABASE_URL, KAFKA_BROKERS: settings.KAFKA_BROKERS };
    await moveGroups(directory, '- 1');
    t.match(await copy(target), /has not read 1 entry of the log\. Start the service on its embedded stores/);
    await moveGroups(directory, '+ 1');
    const first = await copy(target);
    t.match(first, /^Copied \d+ rows of \d+ tables; the counts agree/);
    t.equal(await copy(target), first, 'again');

    const moved = await startTestService(t, { ...settings, VH_BOOTSTRAP: 'off' });
    const call = (method: string, path: string, body?: object) =>
      moved.call(method, path, { headers: { 'x-api-key': projectKey }, ...(body && { body }) });
    t.match((await call('GET', '/lite/sessions/s-3')).body, {
      receipts: [{ receiptId: receipt }],
      outcomes: [{ type: 'buyer_reject', reasonClass: 'fraud', matched: true }],
    });
    t.match((await call('GET', `/lite/score/${receipt}/evidence`)).body, { receiptId: receipt });
    t.match((await call('GET', `/projects/${projectId}/api-keys`)).status, 403, 'the key is known, and of a project');
    const again = { sessionId: 's-new', clientIp: '81.2.69.4', respondentId: 'r-3', studyId: 'study-1' };
    await pollUntil('its history and its earlier visit', async () => {
      const { body } = await call('POST', '/lite/score', {
        ...again,
        sessionId: `${again.sessionId}-${Math.random()}`,
      });
      const { duplicate, categories } = body as {
        readonly duplicate: { readonly band: string };
        readonly categories: { readonly history: number };
      };
      return duplicate.band === 'confirmed' && categories.history > 0 ? true : undefined;
    });

    const database = await openPostgres({
      url: settings.DATABASE_URL,
      poolMax: 1,
      deadlineMs: 5_000,
      logger: createLogger('silent'),
    });
    t.teardown(() => database.close());
    await moved.stop();
    await database.query('DELETE FROM outcomes');
    await database.query("INSERT INTO log_topics (topic, end_offset) VALUES ('of-another', 1)");
    t.match(await copy(target), /has \d+ rows in the target and \d+ in the source\. Copy into an empty/);
  });
