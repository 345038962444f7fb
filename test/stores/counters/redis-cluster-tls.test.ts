/** A cluster behind TLS whose certificates name hosts and no address. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { packageRoot } from '../../../src/package-root.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { freePort } from '../../helpers/ports.js';
import { startRedis } from './redis-server.js';

const run = promisify(execFile);

/** The authority is read at the start of a process, so that the client has one of its own. */
const program = `
  const { openRedisCounters } = await import(process.argv[1]);
  const counters = await openRedisCounters({ url: process.argv[2], deadlineMs: 3_000 });
  await counters.takeRate('project', Date.now(), [{ key: 'k', limit: 10, windowSeconds: 60 }]);
  console.log('counted');
  process.exit(0);
`;

t.test('nodes are reached by their names, which their certificates carry', { timeout: 60_000 }, async (t) => {
  const directory = temporaryDirectory(t);
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate, '-days', '2', '-nodes'];
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...files, ...subject]);
  const port = await freePort();
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const node = await startRedis({
    port,
    args: [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-cluster', 'yes', ...tls],
      ...['--cluster-enabled', 'yes', '--cluster-announce-hostname', 'localhost'],
      ...['--cluster-preferred-endpoint-type', 'hostname'],
    ],
  });
  if (node === null) {
    if (process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no redis-server, and VH_REQUIRE_STACK asks for one');
    return;
  }
  t.teardown(() => node.close());
  const ask = (...words: readonly string[]) =>
    run('redis-cli', ['--tls', '--cacert', certificate, '-h', 'localhost', '-p', String(port), ...words]);
  await ask('cluster', 'addslotsrange', '0', '16383');
  await waitUntil(async () => (await ask('cluster', 'info')).stdout.includes('cluster_state:ok'), 'the cluster is up');
  const counters = pathToFileURL(join(packageRoot, 'dist/src/stores/counters/redis/open.js')).href;
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '-e', program, counters, `rediss+cluster://localhost:${port}`],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } },
  );
  t.equal(stdout, 'counted\n');
});
