/**
 * The attack with HTTP alone: computed points without a camera, which answer each challenge once it is revealed; captures that passed before, cut to
 * the challenges that another session asks for; and both where the project asks for pictures. docs/explanation/threat-model.md quotes it.
 */
import { challengeTypes } from '../src/contract/verdict.js';
import type { EvidenceFrame } from '../src/contract/evidence-frames.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { hasChromium } from '../test/helpers/browser.js';
import { challengesOf, openCapturePage } from '../test/helpers/capture-page.js';
import { captureHuman, type Capture } from '../test/helpers/captures.js';
import type { PointChange } from '../test/helpers/change-points.js';
import { createRandom } from '../workers/seeded-random.js';
import type { BenchResult } from './bench-result.js';
import { play, type Attempt, type Try } from './forge-session.js';
import { drawForger, pace } from './forger.js';
import { median } from './load.js';
import { createDraw, type Draw } from '../research/panel/draw.js';
import { serve } from './process.js';
import { changeRecording, hashOf, splice, type Recording } from './recording.js';
import { meshPhoto, renderAnswers } from './rendered-face.js';

export interface ForgeBenchOptions {
  /** Sessions of each kind. */
  readonly tries: number;
  /** The kind of this name alone, or those whose names hold it. */
  readonly kind?: string;
}

type Kind = (service: Bootstrap) => Promise<(n: number) => Attempt | Promise<Attempt>>;

/** Sessions played at the same time, each in real time; fewer where each costs the service its judgement of pictures. */
const atOnce = { points: 16, pictures: 3 } as const;
const pictureSide = 96;

export async function benchForge({ tries, kind = '' }: ForgeBenchOptions): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), {
    VH_TRUSTED_PROXIES: '127.0.0.1',
  });
  const rows: string[] = [];
  const ratios: Record<string, number> = {};
  try {
    for (const [name, prepare] of Object.entries(kinds).filter(
      ([each]) => each.includes(kind) && (!(kind in kinds) || each === kind),
    )) {
      // Signals come by name then; the verdict is the same.
      await patch(service.info, { riskAggregator: 'on', evidenceFrames: 'off' });
      const attempt = await prepare(service.info);
      const isSampled = name.endsWith(sampled);
      if (isSampled) await patch(service.info, { riskAggregator: 'on', evidenceFrames: 'sampled' });
      const played = await playAll(
        service.info,
        tries,
        /recorded|rendered|with pictures/.test(name) ? atOnce.pictures : atOnce.points,
        attempt,
      );
      ratios[name] = played.filter(({ passed }) => passed).length / tries;
      rows.push(...describe(name, played));
    }
    return { table: rows.join('\n'), ratios };
  } finally {
    await service.stop();
  }
}

const sampled = ', pictures asked for';

const nudgeBy =
  (units: number) =>
  (draw: Draw): PointChange =>
  (x, y) => [x + draw.whole(-units, units), y + draw.whole(-units, units)];

function enlarge(draw: Draw): PointChange {
  const [scale, across, down] = [draw.between(0.9, 1.12), draw.between(-160, 160), draw.between(-120, 120)];
  return (x, y) => [x * scale + across, y * scale + down];
}

/** About the middle of the picture. */
function turn(draw: Draw): PointChange {
  const angle = (draw.between(2, 6) * (draw.chance(0.5) ? 1 : -1) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const nudge = nudgeBy(4)(draw);
  return (x, y, frame) =>
    nudge(2560 + (x - 2560) * cos - (y - 1920) * sin, 1920 + (x - 2560) * sin + (y - 1920) * cos, frame);
}

const forged =
  (firstSeed: number, over: Partial<Attempt> = {}) =>
  (n: number): Attempt => ({ seed: firstSeed + n, make: makeOf(firstSeed + n), ...over });

const replayed =
  (
    firstSeed: number,
    change: (draw: Draw) => PointChange,
    record: (service: Bootstrap) => Promise<readonly Recording[]>,
  ): Kind =>
  async (service) => {
    const recordings = await record(service);
    return (n) => {
      const draw = createDraw(firstSeed + n);
      const changed = recordings.map((each) => changeRecording(each, change(draw), draw));
      const [{ pictures } = {}] = changed;
      const make: Attempt['make'] = (challenges) => splice(changed, challenges);
      return { seed: firstSeed + n, make, ...(pictures && { pictures }) };
    };
  };

const kinds: Readonly<Record<string, Kind>> = {
  points: async () => forged(1),
  'points of one device and face': async () => forged(50_000, { who: 50_000 }),
  'replay, verbatim': replayed(100_000, () => (x, y) => [x, y], recordPasses(10_000)),
  'replay, nudged by a unit': replayed(200_000, nudgeBy(1), recordPasses(20_000)),
  'replay, nudged by half a pixel': replayed(300_000, nudgeBy(4), recordPasses(30_000)),
  'replay, enlarged and moved': replayed(400_000, enlarge, recordPasses(40_000)),
  'replay, turned and nudged': replayed(500_000, turn, recordPasses(50_000)),
  [`points without pictures${sampled}`]: async () => forged(600_000),
  [`points with pictures of no face${sampled}`]: async () => (n) => withNoise(700_000 + n),
  ...(hasChromium() && {
    [`rendered from one photograph${sampled}`]: async () => {
      const photo = await meshPhoto();
      return (n: number) => renderAnswers(photo, 650_000 + n);
    },
    [`recorded person, nudged${sampled}`]: replayed(800_000, nudgeBy(4), recordPerson),
    [`recorded person, turned and nudged${sampled}`]: replayed(900_000, turn, recordPerson),
  }),
};

const makeOf =
  (seed: number): Attempt['make'] =>
  (challenges) =>
    captureHuman({ ...drawForger(seed).capture, challenges });

/** A picture of its own for every frame. */
function withNoise(seed: number): Attempt {
  const pictures = new Map<string, Buffer>();
  const make: Attempt['make'] = (challenges) => {
    const capture = makeOf(seed)(challenges);
    for (let frame = pictures.size; frame < capture.frames.atMs.length; frame += 1) {
      const random = createRandom(seed * 1_000 + frame);
      const picture = Buffer.from(Array.from({ length: pictureSide ** 2 }, () => Math.floor(random() * 256)));
      pictures.set(hashOf(picture), picture);
    }
    const hashes = [...pictures.keys()].slice(0, capture.frames.atMs.length);
    return { ...capture, frames: { ...capture.frames, hashes } };
  };
  return { seed, make, pictures };
}

/** Passes until each kind of challenge was answered in one of them. */
function recordPasses(firstSeed: number): (service: Bootstrap) => Promise<readonly Recording[]> {
  return async (service) => {
    const recordings: Recording[] = [];
    for (let seed = firstSeed; challengeTypes.some((type) => !recordings.some(({ types }) => types.includes(type)));) {
      const recording = await play(service, { seed: (seed += 1), make: makeOf(seed) });
      if (recording.passed) recordings.push(recording);
    }
    return recordings;
  };
}

/** A person who answers every kind of challenge before a camera once, on a page that keeps the picture of every frame. */
async function recordPerson(): Promise<readonly Recording[]> {
  const work: (() => Promise<unknown>)[] = [];
  try {
    const { placeFace, run } = await openCapturePage({ teardown: (done) => work.unshift(done) });
    await placeFace({ face: { seed: 5 } });
    const challenges = challengesOf(...challengeTypes);
    const { outcome } = await run({ challenges, pictures: true, startAfterMs: pace.leadMs });
    const parts = outcome?.parts as unknown as Capture & { readonly evidenceFrames: readonly EvidenceFrame[] };
    const recorded = parts.challenges.map(({ id }) => challenges.find((each) => each.id === id)?.type ?? 'blink');
    const pictures = parts.evidenceFrames.map(({ grey }) => Buffer.from(grey, 'base64'));
    return [
      { capture: parts, types: recorded, pictures: new Map(pictures.map((picture) => [hashOf(picture), picture])) },
    ];
  } finally {
    for (const done of work) await done();
  }
}

async function playAll(
  service: Bootstrap,
  tries: number,
  lanes: number,
  attempt: (n: number) => Attempt | Promise<Attempt>,
): Promise<readonly Try[]> {
  const played: Try[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < tries) played.push(await play(service, await attempt((begun += 1))));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return played;
}

function describe(name: string, played: readonly Try[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { reason } of played) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const passed = played.filter((each) => each.passed).length;
  const seconds = median(played.map((each) => each.seconds)).toFixed(1);
  const requests = median(played.map((each) => each.requests));
  return [
    `${name}: ${passed} of ${played.length} passed, ${seconds} s and ${requests} requests a session`,
    ...[...reasons].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${String(count).padStart(6)}  ${reason}`),
  ];
}

async function patch({ baseUrl, organizationKey, projectId }: Bootstrap, config: object): Promise<void> {
  const answer = await fetch(`${baseUrl}/projects/${projectId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': organizationKey },
    body: JSON.stringify({ config }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
