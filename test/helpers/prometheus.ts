/** A real Prometheus that scrapes a service of a test every second. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type t from 'tap';
import { freePort } from './ports.js';
import { temporaryDirectory } from './directories.js';
import { waitUntil } from './wait-until.js';

export interface Prometheus {
  /** How many series a query of this moment finds; rejects with Prometheus’ words where it is none. */
  seriesOf(query: string): Promise<number>;
}

interface Answer {
  readonly status: 'success' | 'error';
  readonly error?: string;
  readonly data?: { readonly result: readonly unknown[] };
}

export function hasPrometheus(): boolean {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startPrometheus(test: Pick<typeof t, 'teardown'>, adminUrl: string): Promise<Prometheus> {
  const directory = temporaryDirectory(test);
  const config = join(directory, 'prometheus.json');
  const job = { job_name: 'verifyhuman', static_configs: [{ targets: [new URL(adminUrl).host] }] };
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [job] }));
  const address = `127.0.0.1:${String(await freePort())}`;
  const storage = `--storage.tsdb.path=${join(directory, 'data')}`;
  const child = spawn('prometheus', [`--config.file=${config}`, storage, `--web.listen-address=${address}`], {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  test.teardown(async () => {
    child.kill();
    await exited;
  });
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil(isReady, 'Prometheus is ready');
  return {
    async seriesOf(query) {
      const answer = await fetch(`http://${address}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query }),
      });
      const { status, error, data } = (await answer.json()) as Answer;
      if (status !== 'success' || data === undefined) throw new Error(`${query}: ${String(error)}`);
      return data.result.length;
    },
  };
}
