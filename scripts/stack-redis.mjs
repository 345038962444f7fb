// Redis for the stack, without persistence. See stack-native.mjs.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf } from './stack-process.mjs';

export function createRedis({ directory, port, secrets }) {
  const log = join(directory, 'redis.log');
  // Redis shows its address in place of its arguments.
  const mark = `127.0.0.1:${port}`;
  return {
    log,
    mark,
    start: async () => {
      mkdirSync(directory, { recursive: true });
      const output = openSync(log, 'a');
      const args = [
        ...listenOn(port, secrets),
        '--bind',
        '127.0.0.1',
        '--dir',
        directory,
        '--save',
        '',
        '--appendonly',
        'no',
        '--maxmemory-policy',
        'noeviction',
      ];
      const child = spawn('redis-server', args, { detached: true, stdio: ['ignore', output, output] });
      await new Promise((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', (error) =>
          reject(new Error(`Redis 7 could not be started (apt-get install redis-server): ${error.message}`)),
        );
      });
      child.unref();
      // Until it has put its address there, its command line shows the arguments.
      let hasEnded = false;
      child.once('exit', () => (hasEnded = true));
      while (!hasEnded && !commandLineOf(child.pid).includes(mark)) await delay(20);
      return child.pid;
    },
  };
}

function listenOn(port, secrets) {
  if (secrets === null) return ['--port', String(port)];
  const { certificate, key, password } = secrets;
  return [
    '--port',
    '0',
    '--tls-port',
    String(port),
    '--tls-cert-file',
    certificate,
    '--tls-key-file',
    key,
    '--tls-ca-cert-file',
    certificate,
    '--tls-auth-clients',
    'no',
    '--requirepass',
    password,
  ];
}
