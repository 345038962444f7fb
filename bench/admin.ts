/**
 * Bench of administration: does provisioning and listing stay flat as an organization grows to thousands of projects, and what does the
 * look-up of a key cost against reading it from the database? Service on embedded stores; the first hundred projects are the baseline of
 * the last hundred, in the same run.
 */
import { performance } from 'node:perf_hooks';
import type { BenchResult } from './bench-result.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { median } from './load.js';
import { serve } from './process.js';

export interface AdminBenchOptions {
  readonly projects: number;
  /** Calls of each sample. */
  readonly calls?: number;
}

const inFlight = 8;

export async function benchAdmin({ projects, calls = 100 }: AdminBenchOptions): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url));
  try {
    const { baseUrl, organizationKey, projectKey } = service.info;
    const call = async (path: string, key: string, body?: object): Promise<number> => {
      const startedAt = performance.now();
      const answer = await fetch(baseUrl + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      return performance.now() - startedAt;
    };
    const provision = (n: number): Promise<number> =>
      call('/projects/provision', organizationKey, {
        name: `Project ${n}`,
        externalId: `bench-${n}`,
        issueApiKey: true,
      });
    const list = (): Promise<number> => call('/projects?limit=50', organizationKey);
    const sample = async (measure: () => Promise<number>): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < calls; n += 1) times.push(await measure());
      return median(times);
    };

    let created = 0;
    const provisionNext = (): Promise<number> => provision((created += 1));
    await sample(provisionNext);
    const provisionFirst = await sample(provisionNext);
    const listFirst = await sample(list);
    const fill = async (): Promise<void> => {
      while (created < projects - calls) await provisionNext();
    };
    await Promise.all(Array.from({ length: inFlight }, fill));
    const provisionLast = await sample(provisionNext);
    const listLast = await sample(list);
    const introspect = await sample(() => call('/api-keys/current', projectKey));

    const round = (value: number): number => Math.round(value * 100) / 100;
    return {
      table: [
        `${created} projects, median of ${calls} calls one after the other`,
        `provisioning: ${provisionFirst.toFixed(2)} ms at the start, ${provisionLast.toFixed(2)} ms at the end`,
        `listing a page: ${listFirst.toFixed(2)} ms at the start, ${listLast.toFixed(2)} ms at the end`,
        `introspecting a key: ${introspect.toFixed(2)} ms`,
      ].join('\n'),
      ratios: {
        projects: created,
        provisionRatio: round(provisionLast / provisionFirst),
        listRatio: round(listLast / listFirst),
      },
    };
  } finally {
    await service.stop();
  }
}
