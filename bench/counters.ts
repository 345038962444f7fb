/**
 * Bench of the counters: `countScore` in memory and in a Redis of its own, 32 calls in flight, without and with a probe, in turns. Reported:
 * calls a second, CPU time of this process per call, bytes per session, and what `known` devices (30 days’ worth, put straight into Redis in
 * the form in which a scored session leaves them) do to the median of a call and to memory. Inputs are made from a fixed seed beforehand.
 */
import { performance } from 'node:perf_hooks';
import { Redis } from 'ioredis';
import type { BenchResult } from './bench-result.js';
import { openMemoryCounters } from '../src/stores/counters/memory/open.js';
import { openRedisCounters } from '../src/stores/counters/redis/open.js';
import type { Counters } from '../src/stores/counters/port.js';
import { startRedis } from '../test/stores/counters/redis-server.js';
import { eachInFlight, inFlight, makeInputs, seed, serverCpu, startMs, usedBytes } from './counter-sessions.js';
import { median, quantile } from './load.js';
import type { BenchOptions } from './score.js';

export interface CountersBenchOptions extends BenchOptions {
  /** Devices to simulate in the fill test. */
  readonly known?: number;
  /** Sessions that are made ready at once. */
  readonly portion?: number;
}

const minFillRounds = 5;
const keptDaysMs = 2 * 86_400_000;

interface Round {
  readonly perSecond: number;
  readonly cpuPerCall: number;
  /** CPU of the server, if there is one. */
  readonly serverCpuPerCall: number;
}

type Kind = 'plain' | 'probed';

export async function benchCounters({
  seconds,
  rounds,
  known = 1_000_000,
  portion = 4_000,
}: CountersBenchOptions): Promise<BenchResult> {
  const server = await startRedis();
  if (server === null) throw new Error('The bench of the counters needs redis-server on the path.');
  const admin = new Redis(server.url);
  const memory = await openMemoryCounters({ snapshotPath: null, keysMax: 50_000_000, now: () => startMs });
  const redis = await openRedisCounters({ url: server.url, deadlineMs: 10_000 });
  try {
    const stores = { memory, redis } as const;
    const results = new Map<string, Round[]>();
    for (const [name, store] of Object.entries(stores))
      for (const kind of ['plain', 'probed'] as const)
        await count(store, `warm up ${name}`, kind, { seconds: Math.min(1, seconds), portion });
    const bytes: Record<Kind, number> = { plain: 0, probed: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ['plain', 'probed'] as const) {
        for (const [name, store] of Object.entries(stores)) {
          const before = await usedBytes(admin);
          const { calls, ...rates } = await count(store, `${name} ${round}`, kind, { seconds, portion }, () =>
            serverCpu(admin),
          );
          if (name === 'redis')
            bytes[kind] = (await usedBytes(admin)) - before > 0 ? ((await usedBytes(admin)) - before) / calls : 0;
          results.set(`${name} ${kind}`, [...(results.get(`${name} ${kind}`) ?? []), rates]);
        }
      }
    }
    await admin.flushall();
    return report(
      results,
      bytes,
      known,
      await measureFill(server.url, { known, portion, rounds: Math.max(rounds, minFillRounds) }),
    );
  } finally {
    await Promise.all([memory.close(), redis.close(), admin.quit()]);
    await server.close();
  }
}

/** Closed loop over fresh sessions; the inputs, and the probes where there are any, are ready before the clock starts. */
async function count(
  store: Counters,
  label: string,
  kind: Kind,
  { seconds, portion }: { readonly seconds: number; readonly portion: number },
  serverMicroseconds = async (): Promise<number> => 0,
): Promise<Round & { readonly calls: number }> {
  const sum = { calls: 0, ms: 0, cpu: 0, server: 0 };
  for (let nth = 0; sum.ms < seconds * 1_000; nth += 1) {
    const inputs = makeInputs(`${label} ${kind} ${nth}`, portion, kind === 'probed');
    if (kind === 'probed')
      await eachInFlight(
        inputs,
        async ({ probes }) => void (await Promise.all(probes.map((probe) => store.storeProbe(probe)))),
      );
    const server = await serverMicroseconds();
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await eachInFlight(inputs, async ({ score }) => void (await store.countScore(score)));
    const { user, system } = process.cpuUsage(cpu);
    sum.ms += performance.now() - startedAt;
    sum.cpu += user + system;
    sum.server += (await serverMicroseconds()) - server;
    sum.calls += inputs.length;
  }
  return {
    calls: sum.calls,
    perSecond: (sum.calls * 1_000) / sum.ms,
    cpuPerCall: sum.cpu / sum.calls,
    serverCpuPerCall: sum.server / sum.calls,
  };
}

/** Copies, for each device, what one scored session leaves for longer than two days, under names of the device’s own. */
const fillScript = `
  local from, count = tonumber(ARGV[1]), tonumber(ARGV[2])
  local copies = {}
  for i = 1, #KEYS do copies[i] = redis.call('DUMP', KEYS[i]) end
  for n = from, from + count - 1 do
    local id = string.format('%016x', n)
    for i = 1, #KEYS do
      local key = KEYS[i]
      for j = 3, #ARGV do key = string.gsub(key, ARGV[j], id) end
      redis.call('RESTORE', key, 2592000000, copies[i])
    end
  end`;

interface Fill {
  readonly emptyMs: number;
  readonly filledMs: number;
  readonly bytesPerDevice: number;
}

/** Fills the Redis at `url`, and measures calls on it and on an empty one in turns, so that both see the same machine. */
async function measureFill(
  url: string,
  { known, portion, rounds }: { readonly known: number; readonly portion: number; readonly rounds: number },
): Promise<Fill> {
  const emptyServer = await startRedis();
  if (emptyServer === null) throw new Error('The bench of the counters needs redis-server on the path.');
  const admin = new Redis(url);
  const [filled, empty] = await Promise.all(
    [url, emptyServer.url].map((at) => openRedisCounters({ url: at, deadlineMs: 10_000 })),
  );
  if (filled === undefined || empty === undefined) throw new Error('no counters');
  try {
    const bytesPerDevice = await fillWith(admin, filled, known);
    const medians: { empty: number; filled: number }[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const measured = {
        empty: await medianOfCalls(empty, `${round}`, portion),
        filled: await medianOfCalls(filled, `${round}`, portion),
      };
      if (round >= 0) medians.push(measured);
    }
    return {
      emptyMs: median(medians.map((one) => one.empty)),
      filledMs: median(medians.map((one) => one.filled)),
      bytesPerDevice,
    };
  } finally {
    await Promise.all([filled.close(), empty.close(), admin.quit()]);
    await emptyServer.close();
  }
}

/** Answers the bytes that each device takes. */
async function fillWith(admin: Redis, redis: Counters, known: number): Promise<number> {
  const [sample] = makeInputs('sample', 1, true);
  if (sample === undefined) throw new Error('no sample');
  for (const probe of sample.probes) await redis.storeProbe(probe);
  await redis.countScore(sample.score);
  const names = [sample.score.session, sample.score.respondent ?? '', sample.probes[0]?.device ?? ''];
  const keys = (await admin.keys('*')).filter((key) => names.some((name) => key.includes(name)));
  const lasting: string[] = [];
  for (const key of keys) if ((await admin.pttl(key)) > keptDaysMs) lasting.push(key);
  const before = await usedBytes(admin);
  const portion = 5_000;
  for (let from = 0; from < known; from += portion)
    await admin.eval(fillScript, lasting.length, ...lasting, from, Math.min(portion, known - from), ...names);
  return ((await usedBytes(admin)) - before) / known;
}

/** One call after the other: what is measured is the call, not the queue. */
async function medianOfCalls(redis: Counters, label: string, count: number): Promise<number> {
  const latencies: number[] = [];
  for (const { score, probes } of makeInputs(`fill ${label}`, Math.min(1_500, count), true)) {
    for (const probe of probes) await redis.storeProbe(probe);
    const startedAt = performance.now();
    await redis.countScore(score);
    latencies.push(performance.now() - startedAt);
  }
  return quantile(Float64Array.from(latencies).sort(), 0.5);
}

function report(
  results: ReadonlyMap<string, readonly Round[]>,
  bytes: Readonly<Record<Kind, number>>,
  known: number,
  fill: Fill,
): BenchResult {
  const lines = [
    `seed ${seed}, ${inFlight} calls in flight`,
    'store and kind      calls/s   spread          CPU us/call here, in Redis',
  ];
  const ratios: Record<string, number> = {};
  for (const [name, rounds] of results) {
    const perSecond = rounds.map((round) => round.perSecond);
    const spread = `${Math.round(Math.min(...perSecond))}-${Math.round(Math.max(...perSecond))}`;
    const cpu = median(rounds.map((round) => round.cpuPerCall));
    lines.push(
      `${name.padEnd(20)}${median(perSecond).toFixed(0).padEnd(10)}${spread.padEnd(16)}${cpu.toFixed(0).padEnd(10)}${name.startsWith('redis') ? median(rounds.map((round) => round.serverCpuPerCall)).toFixed(0) : ''}`,
    );
    ratios[`${name.replace(' plain', '').replace(' probed', 'Probed')}PerSecond`] = Math.round(median(perSecond));
  }
  const fillRatio = Math.round((1_000 * fill.filledMs) / fill.emptyMs) / 1_000;
  lines.push(
    `bytes per session in Redis: ${bytes.plain.toFixed(0)} without a probe, ${bytes.probed.toFixed(0)} with one`,
    `${known} known devices: ${fill.bytesPerDevice.toFixed(0)} bytes each; p50 of a call ${fill.emptyMs.toFixed(3)} ms empty, ${fill.filledMs.toFixed(3)} ms filled`,
  );
  return {
    table: lines.join('\n'),
    ratios: {
      ...ratios,
      bytesPerSession: Math.round(bytes.plain),
      bytesPerProbedSession: Math.round(bytes.probed),
      bytesPerKnownDevice: Math.round(fill.bytesPerDevice),
      fillRatio,
    },
  };
}
