import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { writeBootstrap } from '../../src/projects/operator/bootstrap.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryPath } from '../helpers/repository.js';

t.test('keys of a first start that is under way are printed once they are there', async (t) => {
  const directory = temporaryDirectory(t);
  const child = spawn(process.execPath, [repositoryPath('dist/src/cli/keys.js')], {
    env: { ...process.env, VH_DATA_DIR: directory },
  });
  t.teardown(() => child.kill());
  const printed = text(child.stdout);
  const [noted] = (await once(child.stderr, 'data')) as [Buffer];
  t.match(String(noted), /Waiting for the first start: .*bootstrap\.json/);
  const ids = { organizationId: 'org_1', projectId: 'proj_1', siteKey: 'proj_1', probeKey: 'vf_probe_1' };
  writeBootstrap(directory, {
    ...{ ...ids, projectKey: 'vf_live_1', organizationKey: 'vf_org_live_1' },
    ...{ baseUrl: 'http://x/api', siteUrl: 'http://x', audienceUrl: 'http://x:1', adminUrl: 'http://x:2' },
  });
  t.match(await printed, /PROJECT_KEY=.*vf_live_1/);
});
