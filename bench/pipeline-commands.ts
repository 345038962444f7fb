/**
 * The reads and writes of the counters for one score, as plain commands with no decision between them. Keys are those of docs/internals/redis-keys.md, with the
 * rate windows as two buckets. Values have the sizes that the product's have with the bodies of this bench.
 */
import type { Command } from './bare-redis.js';

export interface PipelineRefs {
  readonly session: string;
  readonly scope: string;
  readonly respondent: string;
  readonly address: string;
  readonly prefix: string;
  readonly source: string;
  readonly history: readonly string[];
}

/** Sizes that a message of the probe leaves: state, content, sketch and index, in bytes. */
const probeBytes = { state: 253, content: 908, sketch: 112, index: 307 } as const;

const valueBytes = { guard: 279, record: 214, address: 57, network: 21, person: 65, sightings: 30 } as const;
const bandCount = 20;
const bandBytes = 42;
const termCount = 24;
const termCells = 32_768;
const candidateCount = 5;
const lifeMs = '600000';
const hoursPerWeek = 168;
const hourMs = 3_600_000;
const windows = { minute: 60_000, day: 86_400_000 } as const;

const probeKey = (home: string, { session }: PipelineRefs): string => `${home}p:${session}`;
const hourOf = (nowMs: number): number => Math.floor(nowMs / hourMs);

export function readCommands(home: string, refs: PipelineRefs, nowMs: number): readonly Command[] {
  const { session, scope, respondent, address, prefix, source, history } = refs;
  const at = `${home}${scope}:`;
  return [
    ['HMGET', probeKey(home, refs), 'i', 'c1', 'k1', 'x1'],
    [
      'MGET',
      `${home}s:${session}`,
      `${at}k:${session}`,
      `${at}a:${address}`,
      `${at}f:${prefix}`,
      `${at}e:R${respondent}`,
      `${home}v:R${respondent}`,
      `${at}e:A${address}`,
      `${home}complete`,
      ...history.map((subject) => `${home}o:${subject}`),
    ],
    ['HMGET', `${home}b:${source}`, 'h', 'c', 'all', 'rh', 'rc', `w${hourOf(nowMs) % hoursPerWeek}`],
    ['HMGET', `${at}w`, '#now', '#before', '#prefixes', prefix],
    ['INCR', `${home}l:minute:${Math.floor(nowMs / windows.minute)}`],
    ['INCR', `${home}l:day:${Math.floor(nowMs / windows.day)}`],
  ];
}

export interface PipelineWrite {
  readonly receiptId: string;
  readonly content: string;
  readonly nowMs: number;
  /** The device and the bands that its probe names; null without a probe. */
  readonly probe: { readonly device: string; readonly seed: number } | null;
}

export function writeCommands(home: string, refs: PipelineRefs, write: PipelineWrite): readonly Command[] {
  const { session, scope, respondent, address, prefix, source } = refs;
  const { receiptId, content, nowMs, probe } = write;
  const at = `${home}${scope}:`;
  const commands = [
    set(`${home}s:${session}`, valueBytes.guard),
    set(`${at}k:${session}`, valueBytes.record),
    set(`${at}a:${address}`, valueBytes.address),
    set(`${at}f:${prefix}`, valueBytes.network),
    set(`${at}e:R${respondent}`, valueBytes.person),
    set(`${home}v:R${respondent}`, valueBytes.person),
    set(`${at}e:A${address}`, valueBytes.sightings),
    ['SET', `${home}q:${receiptId}`, probe === null ? content : content + candidatesKept, 'PX', lifeMs],
    ['HINCRBY', `${home}b:${source}`, 'c', '1'],
    ['HSET', `${at}w`, '#now', String(nowMs), '#prefixes', '1', prefix, '1'],
  ];
  return probe === null ? commands : [...commands, ...probedCommands(home, at, refs, probe)];
}

function probedCommands(
  home: string,
  at: string,
  refs: PipelineRefs,
  { device, seed }: NonNullable<PipelineWrite['probe']>,
): readonly Command[] {
  const bands = Array.from(
    { length: bandCount },
    (_, n) => `${n}.${(seed + n * n) % (n < bandCount / 2 ? 2_000 : 1e9)}`,
  );
  const terms = Array.from({ length: termCount }, (_, n) => ['INCRBY', 'u24', `#${(seed * (n + 1)) % termCells}`, '1']);
  const candidates = Array.from({ length: candidateCount }, (_, n) => `${at}k:${device}${n}`);
  return [
    ['MGET', `${at}e:D${device}`, `${home}v:D${device}`],
    ['HMGET', `${at}y`, ...bands],
    ['MGET', ...candidates],
    ['BITFIELD', `${home}t`, 'OVERFLOW', 'SAT', ...terms.flat()],
    set(`${at}e:D${device}`, valueBytes.person),
    set(`${home}v:D${device}`, valueBytes.person),
    ['HSET', `${at}y`, ...bands.flatMap((band) => [band, filler.slice(0, bandBytes)])],
    ['HSET', probeKey(home, refs), 'i', filler.slice(0, probeBytes.state)],
    ['PEXPIRE', probeKey(home, refs), lifeMs],
  ];
}

const filler = 'x'.repeat(2_048);
/** A receipt keeps the records of its candidates. */
const candidatesKept = filler.slice(0, candidateCount * valueBytes.record);
const set = (key: string, bytes: number): Command => ['SET', key, filler.slice(0, bytes), 'PX', lifeMs];

/** Writes of the intake of a probe. */
export const probeCommands = (home: string, refs: PipelineRefs, content: string): readonly Command[] => [
  [
    'HSET',
    probeKey(home, refs),
    ...['i', filler.slice(0, probeBytes.state), 'c1', content.slice(0, probeBytes.content)],
    ...['k1', filler.slice(0, probeBytes.sketch), 'x1', filler.slice(0, probeBytes.index)],
  ],
  ['PEXPIRE', probeKey(home, refs), lifeMs],
];
