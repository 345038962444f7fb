/** HAProxy with the file that ships, in front of one service. */
import { spawn, spawnSync } from 'node:child_process';
import t from 'tap';
import { freePort } from '../helpers/ports.js';
import { repositoryPath } from '../helpers/repository.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const hasBalancer = spawnSync('haproxy', ['-v']).status === 0;
if (!hasBalancer) t.comment('Left out: the balancer. haproxy is not installed (deploy/system-packages.txt).');
if (!hasBalancer && process.env['VH_REQUIRE_STACK'] === '1') t.fail('haproxy is not installed');

const file = repositoryPath('deploy/balancer/haproxy.cfg');

if (hasBalancer)
  t.test('the audience API is balanced where it has an address, and the API alone where it has none', async (t) => {
    const { bootstrap } = await startTestService(t);
    const hostOf = (url: string): string => new URL(url).host;
    const adminPort = new URL(bootstrap.adminUrl).port;
    const [listen, audienceListen] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const environment = {
      ...{ PATH: process.env['PATH'] ?? '', BALANCER_LISTEN: listen },
      ...{ API_ONE: hostOf(bootstrap.baseUrl), ADMIN_ONE: adminPort },
      ...{ API_TWO: hostOf(bootstrap.baseUrl), ADMIN_TWO: adminPort },
    };
    t.equal(spawnSync('haproxy', ['-c', '-f', file], { env: environment }).status, 0);
    const audience = {
      ...{ AUDIENCE_LISTEN: audienceListen },
      ...{ AUDIENCE_ONE: hostOf(bootstrap.audienceUrl), AUDIENCE_ADMIN_ONE: adminPort },
      ...{ AUDIENCE_TWO: hostOf(bootstrap.audienceUrl), AUDIENCE_ADMIN_TWO: adminPort },
    };
    const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore', env: { ...environment, ...audience } });
    t.teardown(() => haproxy.kill('SIGKILL'));
    const statusOf = (url: string): Promise<number | null> =>
      fetch(url).then(
        ({ status }) => status,
        () => null,
      );
    await waitUntil(async () => (await statusOf(`http://${listen}/api/v1/openapi.json`)) === 200, 'the API answers');
    const studies = `http://${audienceListen}/v1/studies`;
    await waitUntil(async () => (await statusOf(studies)) === 401, 'the audience API asks for a key');
  });
