/**
 * An operator asks a running service why a score is what it is. Where nobody has the role `consumers` a receipt stays in the counters
 * store, so that both places are tried.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import type { AuditEntry } from '../../src/contract/audit.js';
import type { Explanation, RecordedFacts } from '../../src/contract/explanation.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { sendOperatorCommand } from '../../src/projects/operator/operator-channel.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { commandEnvironment, programOf } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

const run = promisify(execFile);

async function score(service: TestService, key = service.bootstrap.projectKey): Promise<string> {
  const { body } = await service.call('POST', '/lite/score', {
    body: { sessionId: 'explained', clientIp: '203.0.113.7', userAgent: 'curl/8.5.0' },
    headers: { 'x-api-key': key },
  });
  return (body as { receiptId: string }).receiptId;
}

function explain({ bootstrap }: TestService, masterKey: Uint8Array, receiptId: string) {
  return sendOperatorCommand(bootstrap.adminUrl, masterKey, { command: 'explain', receiptId, facts: true });
}

function admin(service: TestService, ...args: readonly string[]): Promise<{ readonly stdout: string }> {
  return run(process.execPath, [...programOf('admin'), ...args], {
    env: { ...commandEnvironment, VH_DATA_DIR: service.dataDirectory, ADMIN_PORT: '0' },
  });
}

async function explanationsOf(service: TestService, masterKey: Uint8Array): Promise<readonly AuditEntry[]> {
  const { organizationId } = service.bootstrap;
  const token = await issueDashboardToken(masterKey, { organizationId, role: 'owner', lifetimeSeconds: 60 });
  const { body } = await service.call('GET', `/organizations/${organizationId}/audit`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return (body as { entries: AuditEntry[] }).entries.filter(({ action }) => action === 'receipt.explained');
}

const stack = findStack(t, 'a receipt that only the counters store has');
t.test('a receipt that only the counters store has yet is explained, whosever key scored', async (t) => {
  if (stack === null) return;
  const settings = await realStoreSettings(t, stack);
  const service = await startTestService(t, { ...settings, VH_ROLES: 'api', VH_BOOTSTRAP: 'on' });
  for (const key of [service.bootstrap.projectKey, service.bootstrap.organizationKey]) {
    const receiptId = await score(service, key);
    const sent = await explain(service, Buffer.from(settings.VH_MASTER_KEY, 'base64'), receiptId);
    t.equal(sent.outcome, 'done');
    const { recorded, facts, present, organizationId } = (sent as { reply: Explanation }).reply;
    t.equal(recorded, null, 'the database does not have it');
    t.equal(facts?.sessionId, 'explained');
    t.equal(organizationId, service.bootstrap.organizationId);
    t.match(present.findings, [{ code: 'declared_bot', list: 'against' }]);
  }
  const list = (DATABASE_URL: string) =>
    run(process.execPath, [...programOf('admin'), 'list-organizations'], {
      env: {
        ...settings,
        DATABASE_URL,
        ...commandEnvironment,
        VH_DATA_DIR: service.dataDirectory,
        ADMIN_PORT: '0',
      },
    });
  t.match(await list(settings.DATABASE_URL.replace('127.0.0.1', 'localhost')), {
    stderr: /^Target: the service at /,
    stdout: /Demo organization/,
  });
  t.match(
    await list(await createDatabase(t, stack)),
    { stderr: /uses another database[^]*\nTarget: the database /, stdout: /"organizations":\[\]/ },
    'a service that works on another database than the operator names is not asked',
  );
});

t.test('a recorded receipt is explained, facts on request alone, replayed, and every look is audited', async (t) => {
  const service = await startTestService(t);
  const masterKey = loadMasterKey(service.dataDirectory);
  const receiptId = await score(service);
  await waitUntil(async () => {
    const sent = await explain(service, masterKey, receiptId);
    return sent.outcome === 'done' && (sent.reply as Explanation).recorded !== null;
  }, 'the receipt is recorded');
  t.match((await explanationsOf(service, masterKey))[0], {
    actor: { kind: 'operator' },
    subject: { kind: 'receipt', id: receiptId },
    detail: { facts: true },
  });

  const { stdout: text } = await admin(service, 'explain', receiptId);
  t.match(text, new RegExp(`^Receipt +${receiptId}, scored at 20`));
  t.match(text, /Decision +Score \d+.* is at or above reviewLow \(40\).*: review, class unknown\./);
  t.match(text, /device +declared_bot +correlate +\+\d\.\d\d +100% +\+\d\.\d\d +against, strong/);
  t.match(text, /uncorroborated: /);
  t.match(text, /Nothing differs under the present model/);
  t.match((await explanationsOf(service, masterKey))[0], { detail: { facts: false } });

  const { stdout: facts } = await admin(service, 'explain', receiptId, '--facts');
  t.match((JSON.parse(facts) as RecordedFacts).recorded, { recommendation: 'review' });
  const file = join(temporaryDirectory(t), 'facts.json');
  writeFileSync(file, facts.replace('"reviewLow":40', '"reviewLow":75'));
  t.match((await admin(service, 'replay', file)).stdout, /recommendation: review -> allow/);
  writeFileSync(file, '{"facts": {}}');
  await t.rejects(admin(service, 'replay', file), { message: /has no recorded facts/ });

  t.match(await explain(service, masterKey, `rcpt_${'0'.repeat(32)}`), {
    outcome: 'refused',
    message: /receipt was not found/,
  });
});
