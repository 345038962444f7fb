// PostgreSQL for the stack. It refuses to run as root, so as root it runs as the system's user postgres. See stack-native.mjs.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function createPostgres({ directory, port, secrets }) {
  const data = join(directory, 'data');
  const log = join(directory, 'postgres.log');
  const bin = findBinaries();
  return {
    log,
    mark: data,
    start: async () => {
      mkdirSync(directory, { recursive: true });
      if (isRoot()) execFileSync('chown', ['postgres', directory]);
      if (!existsSync(join(data, 'PG_VERSION')))
        run(`${bin}initdb -D '${data}' -U postgres -A trust -E UTF8 --no-locale`);
      await clearRemains(data);
      const tls = secrets === null ? '' : placeKey(directory, secrets);
      const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200${tls}`;
      run(`${bin}pg_ctl -D '${data}' -l '${log}' -w -t 60 -o "${settings}" start`);
      return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    },
  };
}

/** The server wants a key that is its own and that nobody else may read. */
function placeKey(directory, { key, certificate }) {
  const own = join(directory, 'key.pem');
  copyFileSync(key, own);
  if (isRoot()) execFileSync('chown', ['postgres', own]);
  return ` -c ssl=on -c ssl_key_file=${own} -c ssl_cert_file=${certificate}`;
}

const isRoot = () => process.getuid?.() === 0;

/** Debian keeps the server's programs off the path. STACK_POSTGRES_BIN names the folder of another version. */
function findBinaries() {
  if (process.env.STACK_POSTGRES_BIN !== undefined) return `${process.env.STACK_POSTGRES_BIN}/`;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((version) => version >= 15)
        .sort((a, b) => b - a)
    : [];
  return versions.length > 0 ? `${debian}/${versions[0]}/bin/` : '';
}

/**
 * After a kill: waits for the server's children, which end by themselves, and takes the pid file away. It may name a process that is
 * dead and not yet reaped, which PostgreSQL takes for a living server.
 */
async function clearRemains(data) {
  if (!existsSync(join(data, 'postmaster.pid'))) return;
  for (let tries = 0; tries < 100 && isInUse(data); tries++) await delay(100);
  rmSync(join(data, 'postmaster.pid'), { force: true });
}

/** PostgreSQL's processes have the data directory as their working directory. */
function isInUse(data) {
  if (!existsSync('/proc/self')) return false;
  const own = realpathSync(data);
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === own;
    } catch {
      return false;
    }
  });
}

function run(command) {
  const [program, args] = isRoot() ? ['su', ['postgres', '-s', '/bin/sh', '-c', command]] : ['sh', ['-c', command]];
  // Without pipes: the server inherits what it is given, and a pipe would stay open for as long as it runs.
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' });
  if (status !== 0)
    throw new Error(
      `PostgreSQL 15 or later could not be started (apt-get install postgresql): ${error?.message ?? `"${command}" ended with ${status}`}`,
    );
}
