import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { packageRoot } from '../../src/package-root.js';
import { startProcess } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/service.js';

const run = promisify(execFile);

/** Runs a command; answers the one line that it prints. */
async function admin(dataDirectory: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [join(packageRoot, 'dist/src/cli/admin.js'), ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      VH_DATA_DIR: dataDirectory,
      ADMIN_PORT: '0',
      PORT: '0',
      AUDIENCE_PORT: '0',
    },
  });
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`not one line of JSON: ${stdout}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function statusOf(url: string, key: unknown): Promise<number> {
  const answer = await fetch(url, { headers: { 'x-api-key': String(key), 'content-type': 'application/json' } });
  await answer.body?.cancel();
  return answer.status;
}

t.test('while no service runs and while one does, organizations are made by the same command', async (t) => {
  const directory = temporaryDirectory(t);
  const first = startProcess(t, { VH_DATA_DIR: directory });
  await first.ready();
  await first.end('SIGTERM');
  const alone = await admin(directory, 'create-organization', '--name', 'Made alone', '--lite', 'off');
  t.same(Object.keys(alone), ['organizationId', 'organizationKey', 'liteEnabled', 'scoring']);
  t.match(alone['scoring'], `off; npm run admin -- enable-lite --org ${String(alone['organizationId'])}`);

  const service = startProcess(t, { VH_DATA_DIR: directory });
  const { baseUrl } = await service.ready();
  t.equal(await statusOf(`${baseUrl}/organizations/me/settings`, alone['organizationKey']), 200);

  const asked = await admin(
    directory,
    'create-organization',
    '--name',
    'Made by the service',
    '--tier',
    'professional',
  );
  t.match(asked, { liteEnabled: true, scoring: /^on; / }, 'scoring is on unless told otherwise, and that is said');
  t.equal(await statusOf(`${baseUrl}/organizations/me/settings`, asked['organizationKey']), 200);
  const key = await admin(
    directory,
    'create-key',
    '--org',
    String(asked['organizationId']),
    '--test',
    '--expires-in-days',
    '3',
  );
  t.match(key, { apiKey: /^vf_org_test_/, expiresAt: /Z$/ });
  t.equal(await statusOf(`${baseUrl}/api-keys/current`, key['apiKey']), 200);
  t.match(await admin(directory, 'set-quota', '--org', String(asked['organizationId']), '--monthly', '250'), {
    monthlyQuota: 250,
    tier: 'professional',
  });
  t.match(await admin(directory, 'enable-lite', '--org', String(asked['organizationId'])), { liteEnabled: true });
  await t.rejects(admin(directory, 'set-tier', '--org', 'org_of_nobody', '--tier', 'free'), {
    message: /There is no such organization\./,
  });
  const score = async (): Promise<number> => {
    const answer = await fetch(`${baseUrl}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': String(alone['organizationKey']) },
      body: JSON.stringify({ sessionId: 's', clientIp: '203.0.113.24' }),
    });
    return answer.status;
  };
  t.same([await score(), await score()], [404, 404], 'scoring is off');
  const command = `enable-lite --org ${String(alone['organizationId'])}`;
  t.equal(service.output().stderr.split(command).length, 2, 'the log names the switch, once');
  t.notMatch(service.output().stderr, /vf_/, 'no key is in the log');
});
