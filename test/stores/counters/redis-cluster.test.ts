/**
 * The counters on a Redis Cluster of three nodes: each project in one slot, projects on all nodes.
 */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import type { Counters } from '../../../src/stores/counters/port.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { countsOf, probeInput, ref, scoreInput, startMs } from './inputs.js';
import { freePort } from '../../helpers/ports.js';
import { startRedis, type TestRedis } from './redis-server.js';

const run = promisify(execFile);

async function startNodes(): Promise<TestRedis[]> {
  const nodes: TestRedis[] = [];
  for (let i = 0; i < 3; i += 1) {
    const node = await startRedis({
      port: await freePort(),
      args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000'],
    });
    if (node !== null) nodes.push(node);
  }
  return nodes;
}

async function untilAnswered(counters: Counters): Promise<void> {
  const endsAtMs = Date.now() + 30_000;
  for (;;) {
    try {
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          counters.takeRate(`warm ${i}`, startMs, [{ key: 'k', limit: 1_000, windowSeconds: 60 }]),
        ),
      );
      return;
    } catch (error) {
      if (Date.now() > endsAtMs) throw error;
      await pause(50);
    }
  }
}

const nodes = await startNodes();
if (nodes.length < 3) {
  if (process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no redis-server, and VH_REQUIRE_STACK asks for one');
  else t.comment('The cluster was not tried: install redis-server (`apt-get install redis-server`).');
} else {
  t.test('projects spread over the nodes of a cluster, and each is counted whole', { timeout: 60_000 }, async (t) => {
    const addresses = nodes.map((node) => `127.0.0.1:${node.port}`);
    await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes']);
    const counters = await openRedisCounters({
      url: `redis+cluster://${addresses.slice(0, 2).join(',')}`,
      deadlineMs: 5_000,
    });
    await untilAnswered(counters);
    for (let i = 0; i < 12; i += 1) {
      const project = `project ${i}`;
      await counters.storeProbe(probeInput(project, 's1', { bands: ['b'] }));
      await countsOf(
        counters,
        scoreInput(project, 's1', {
          respondent: ref('r'),
          source: ref('source'),
          limits: [{ key: 'k', limit: 9, windowSeconds: 60 }],
        }),
      );
      await counters.storeProbe(probeInput(project, 's2', { bands: ['b'], device: ref('device of s1') }));
      const counts = await countsOf(
        counters,
        scoreInput(project, 's2', { respondent: ref('r'), source: ref('source') }),
      );
      t.match(counts, {
        deviceSessionsDay: 2,
        respondentDay: 2,
        // One person: their second session is a repeat, which no burst counts.
        source: { hour: 1 },
        terms: { total: 2 },
        candidates: [{ via: 'respondent' }],
        neighborhood: { direct: 1 },
      });
      t.ok(await counters.recentReceipt(project, `rcpt_${project}_s1`));
    }
    const sizes = await Promise.all(
      nodes.map(async (node) => Number((await run('redis-cli', ['-p', String(node.port), 'dbsize'])).stdout)),
    );
    t.ok(
      sizes.every((size) => size > 0),
      `each node holds keys: ${sizes.join(', ')}`,
    );
    const ask = async (node: { readonly port: number }, ...words: string[]): Promise<string> =>
      (await run('redis-cli', ['-p', String(node.port), ...words])).stdout;
    for (const node of nodes)
      await waitUntil(
        async () => (await ask(node, 'FUNCTION', 'LIST')).includes('verifyhuman_'),
        'a node has the functions',
      );
    for (let i = 0; i < 12; i += 1) await countsOf(counters, scoreInput(`project ${i}`, 's3'));
    for (const node of nodes) t.match(await ask(node, 'INFO', 'commandstats'), /cmdstat_fcall:/);
    await counters.close();
  });
}
t.teardown(() => Promise.all(nodes.map((node) => node.close())));
