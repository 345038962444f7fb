// The stack in containers. See stack.mjs.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Whether a Docker engine (not only its client) is there. */
export function dockerAnswers() {
  const { status } = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
    stdio: 'ignore',
    timeout: 5_000,
  });
  return status === 0;
}

export function createDockerEngine({ root, name, ports }) {
  const environment = {
    ...process.env,
    STACK_POSTGRES_PORT: String(ports.postgres),
    STACK_REDIS_PORT: String(ports.redis),
    STACK_KAFKA_PORT: String(ports.kafka),
  };
  const compose = (...args) =>
    execFileSync(
      'docker',
      ['compose', '-f', join(root, 'deploy/stack/compose.yaml'), '-p', `verifyhuman-stack-${name}`, ...args],
      { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
  return {
    start: (service) => compose('up', '--detach', '--wait', service),
    stop: (service) => compose('stop', service),
    kill: (service) => compose('kill', service),
    pause: (service) => compose('pause', service),
    resume: (service) => compose('unpause', service),
    remove: (service) => compose('rm', '--stop', '--force', '--volumes', service),
    isRunning: (service) => compose('ps', '--status', 'running', '--quiet', service).trim() !== '',
  };
}
