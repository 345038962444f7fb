/**
 * Bench of what known devices cost a score. Compares in turns a Redis with `devices` known devices (a project on its second day) and an
 * empty one. Half of the sessions have a probe. Reports the median of a count and its CPU in Redis, filled against empty, for strangers
 * and for known devices, and the bytes of a device.
 */
import { performance } from 'node:perf_hooks';
import { Redis } from 'ioredis';
import type { BenchResult } from './bench-result.js';
import type { CountFacts } from '../src/contract/facts.js';
import type { Counters } from '../src/stores/counters/port.js';
import { openRedisCounters } from '../src/stores/counters/redis/open.js';
import { startRedis } from '../test/stores/counters/redis-server.js';
import { makeInputs, serverCpu, type Session } from './counter-sessions.js';
import { fillWithDevices, knownDevice, knownScope, secondDayMs, type DevicesFilled } from './known-devices.js';
import { median, quantile } from './load.js';
import { markdownTable } from './markdown.js';
import { tableOfTargets } from './score-targets.js';

export interface DevicesOptions {
  readonly rounds: number;
  readonly devices?: number;
  /** Sessions of a round on each server. */
  readonly portion?: number;
}

type Kind = 'strangers' | 'known';
type Server = 'filled' | 'empty';

interface Measured {
  /** Milliseconds. */
  readonly p50: number;
  /** Microseconds of the server a count. */
  readonly cpu: number;
}

export async function benchDevices({
  rounds,
  devices = 100_000,
  portion = 2_000,
}: DevicesOptions): Promise<BenchResult> {
  const [filled, empty] = [await openServer(), await openServer()];
  try {
    const fill = await fillWithDevices(filled, devices);
    const measured: Record<`${Server} ${Kind}`, Measured[]> = {
      'filled strangers': [],
      'empty strangers': [],
      'filled known': [],
      'empty known': [],
    };
    // The first round warms all of it up.
    for (let round = -1; round < rounds; round += 1)
      for (const kind of ['strangers', 'known'] as const)
        for (const [name, server] of [
          ['empty', empty],
          ['filled', filled],
        ] as const) {
          const one = await measure(server, sessionsOf(`${kind} ${round}`, { kind, portion, devices }));
          if (round >= 0) measured[`${name} ${kind}`].push(one);
        }
    return report(devices, fill, measured);
  } finally {
    await Promise.all([filled.close(), empty.close()]);
  }
}

export interface DevicesServer {
  readonly admin: Redis;
  readonly counters: Counters;
  close(): Promise<void>;
}

/** A Redis of its own, which keeps nothing. */
export async function openServer(): Promise<DevicesServer> {
  const server = await startRedis();
  if (server === null) throw new Error('The bench of known devices needs redis-server on the path.');
  const admin = new Redis(server.url);
  const counters = await openRedisCounters({ url: server.url, deadlineMs: 10_000 });
  return {
    admin,
    counters,
    async close() {
      await counters.close();
      await admin.quit();
      await server.close();
    },
  };
}

interface Portion {
  readonly kind: Kind;
  readonly portion: number;
  readonly devices: number;
}

/** Every other session has a probe. Known devices come in any order, identified by probe or by caller. */
function sessionsOf(label: string, { kind, portion, devices }: Portion): readonly Session[] {
  const probed = makeInputs(`${label} probed`, Math.ceil(portion / 2), true);
  const plain = makeInputs(`${label} plain`, Math.floor(portion / 2), false);
  return probed
    .flatMap((session, n) => [session, plain[n] ?? []])
    .flat()
    .map((session, n) => {
      const own = kind === 'known' ? knownDevice(Math.imul(n + 1, 0x9e3779b1) >>> 0, devices) : session.score.session;
      return onSecondDay(session, own);
    });
}

/** The session a day later, in the scope of the known ones, on the device named. */
export function onSecondDay({ score, probes }: Session, device: string): Session {
  const nowMs = score.nowMs + secondDayMs;
  return {
    score: { ...score, nowMs, scope: knownScope, device: probes.length > 0 ? null : device },
    probes: probes.map((probe) => ({ ...probe, nowMs, device: probe.device === null ? null : device })),
  };
}

/** One call after the other, for what is measured is the call and not the queue; probes are sent before. */
async function measure({ admin, counters }: DevicesServer, sessions: readonly Session[]): Promise<Measured> {
  for (const { probes } of sessions) for (const probe of probes) await counters.storeProbe(probe);
  const latencies: number[] = [];
  const before = await serverCpu(admin);
  for (const session of sessions) {
    const startedAt = performance.now();
    await countOf(counters, session);
    latencies.push(performance.now() - startedAt);
  }
  return {
    p50: quantile(Float64Array.from(latencies).sort(), 0.5),
    cpu: ((await serverCpu(admin)) - before) / sessions.length,
  };
}

/** Counts a session for the first time. */
export async function countOf(counters: Counters, { score }: Session): Promise<CountFacts> {
  const result = await counters.countScore(score);
  if (result.kind !== 'counted') throw new Error(`it is ${result.kind} and not counted`);
  return result.counts;
}

function report(
  devices: number,
  fill: DevicesFilled,
  measured: Readonly<Record<`${Server} ${Kind}`, readonly Measured[]>>,
): BenchResult {
  const middle = (of: readonly Measured[], figure: keyof Measured): number => median(of.map((one) => one[figure]));
  const ratio = (kind: Kind, figure: keyof Measured): number =>
    median(
      measured[`filled ${kind}`].map((one, n) => one[figure] / (measured[`empty ${kind}`][n]?.[figure] ?? Number.NaN)),
    );
  const ratios = {
    p50: ratio('strangers', 'p50'),
    cpu: ratio('strangers', 'cpu'),
    p50Known: ratio('known', 'p50'),
    cpuKnown: ratio('known', 'cpu'),
    bytesPerDevice: Math.round(fill.bytesPerDevice),
  };
  const rows = Object.entries(measured).map(([name, of]) => [
    name,
    middle(of, 'p50').toFixed(3),
    middle(of, 'cpu').toFixed(0),
  ]);
  return {
    table: [
      `${devices} known devices, ${fill.bytesPerDevice.toFixed(0)} bytes each in ${fill.keysPerDevice} keys, filled in ${fill.seconds.toFixed(0)} s\n`,
      markdownTable(['sessions', 'p50 ms', 'CPU us of Redis'], rows),
      tableOfTargets('of strangers, times an empty store’s', ratios, [
        { measure: 'p50', figures: ['p50'], floor: 1.2, aim: 1.05 },
        { measure: 'CPU of Redis', figures: ['cpu'], floor: 1.2, aim: 1.05 },
      ]),
    ].join('\n'),
    ratios,
  };
}
