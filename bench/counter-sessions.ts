/** Sessions for the benches of the counters, made from a fixed seed, and figures that Redis reports about itself. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createRandom } from '../workers/seeded-random.js';
import type { ProbeStoreInput, ScoreCountInput } from '../src/stores/counters/port.js';

export const seed = 20_262;
export const inFlight = 32;
const projectId = 'proj_bench';
export const startMs = Date.UTC(2026, 9, 1, 12);

/** Works on so many at a time as a process has calls in flight, or on `atOnce`. */
export async function eachInFlight<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = inFlight,
): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

export interface Session {
  readonly score: ScoreCountInput;
  readonly probes: readonly ProbeStoreInput[];
}

/** Sessions of their own for each label, all at `startMs`, a millisecond apart. */
export function makeInputs(label: string, count: number, probed: boolean): readonly Session[] {
  const draw = createRandom(Number.parseInt(refOf(`${seed} ${label}`).slice(0, 7), 16));
  const random = (below: number): number => Math.floor(draw() * below);
  return Array.from({ length: count }, (_, n) => {
    const session = refOf(`${label} ${n}`);
    const nowMs = startMs + n;
    const score: ScoreCountInput = {
      nowMs,
      namespace: projectId,
      session,
      fingerprint: refOf(`body ${label} ${n}`),
      receiptId: `rcpt_${session}`,
      content: Buffer.alloc(700, n),
      limits: [
        { key: 'minute', limit: 1e9, windowSeconds: 60 },
        { key: 'day', limit: 1e9, windowSeconds: 86_400 },
      ],
      scope: refOf(`study ${random(50)}`),
      respondent: refOf(`respondent ${random(1_000_000)}`),
      device: probed ? null : refOf(`device ${random(1_000_000)}`),
      host: null,
      address: refOf(`address ${random(500_000)}`),
      prefix: refOf(`prefix ${random(50_000)}`),
      source: refOf(`source ${random(20)}`),
      deviceClass: 'windows/chrome',
      addressShared: false,
      signature: null,
      history: {
        respondent: refOf(`hr ${random(1_000_000)}`),
        source: refOf(`hs ${random(20)}`),
        subSource: refOf(`hb ${random(200)}`),
      },
    };
    return { score, probes: probed ? makeProbes(session, nowMs, random) : [] };
  });
}

/** A load of 2,000 bytes and an update of 600; devices of one model share half of their bands and most of their terms. */
function makeProbes(session: string, nowMs: number, random: (below: number) => number): readonly ProbeStoreInput[] {
  const model = random(20_000);
  const common = { nowMs, projectId, session, nonce: refOf(`nonce ${session}`) };
  const sketch = {
    terms: Array.from({ length: 24 }, (_, i) => refOf(`term ${i} ${i < 18 ? model : random(1_000)}`)),
    osFamily: 'windows',
    browser: 'chrome',
    browserMajor: 142,
  };
  const bands = Array.from({ length: 20 }, (_, i) => refOf(`band ${i} ${i < 10 ? model : session}`).slice(0, 12));
  return [
    {
      ...common,
      phase: 'load',
      seq: 0,
      content: Buffer.alloc(2_000, 7),
      device: refOf(`device ${random(1_000_000)}`),
      sketch,
      bands,
      indicators: [],
    },
    {
      ...common,
      phase: 'update',
      seq: 1,
      content: Buffer.alloc(600, 9),
      device: null,
      sketch: null,
      bands: [],
      indicators: [],
    },
  ];
}

export function refOf(name: string): string {
  return createHash('sha1').update(name).digest('hex').slice(0, 16);
}

/** Microseconds so far. */
export async function serverCpu(admin: Redis): Promise<number> {
  const text = await admin.info('cpu');
  const of = (name: string): number => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(text)?.[1]);
  return (of('user') + of('sys')) * 1e6;
}

export async function usedBytes(admin: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
}
