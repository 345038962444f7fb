/**
 * Measures the camera check on a person and on substitutes for a person before the camera: real Chromium, the service's own models, its
 * challenges and its verdict. The person is computed: who passes as them, passes as a rendered head. docs/explanation/threat-model.md quotes it.
 */
import { loadavg } from 'node:os';
import { recordCamera, type CapturePageOptions, type Test } from '../test/helpers/capture-page.js';
import { takePart, type Participant, type Participation } from '../test/helpers/capture-session.js';
import { startTestService } from '../test/helpers/service.js';
import type { BenchResult } from './bench-result.js';
import { median } from './load.js';

export interface CameraBenchOptions {
  /** Sessions of each kind. */
  readonly tries: number;
  /** One kind alone. */
  readonly kind?: string;
}

type Scene = Omit<Participant, 'page' | 'service' | 'clip'> & {
  /** Frames of the computed person that a file shows as the camera, and what they do at which. */
  readonly clip?: readonly [count: number, moveAt: Readonly<Record<number, string>>];
  readonly page?: CapturePageOptions;
};

const label = 'Integrated Webcam (0c45:6a09)';

const slow = (seed: number): Scene => ({
  answering: true,
  face: { seed },
  camera: { framesPerSecond: 5 },
  jitterMs: 400,
  page: { slowness: 6 },
});

/** A seed of its own for each try: other noise, drift and light. */
const scenes: Readonly<Record<string, (seed: number) => Scene>> = {
  obeying: (seed) => ({ answering: true, face: { seed } }),
  'obeying-seen': (seed) => ({ answering: true, face: { seed }, pictures: true }),
  slow,
  'slow-seen': (seed) => ({ ...slow(seed), pictures: true }),
  'not-obeying': (seed) => ({ answering: false, face: { seed } }),
  still: () => ({ answering: false, face: null, label, clip: [1, {}] }),
  'neutral-loop': () => ({ answering: false, face: null, label, clip: [60, {}] }),
  'moving-loop': () => ({
    ...{ answering: false, face: null, label },
    clip: [120, { 4: 'blink', 18: 'turn_left', 44: 'smile', 72: 'nod', 94: 'turn_right' }],
  }),
  phone: (seed) => ({ answering: true, face: { seed, screen: true }, camera: { framesPerSecond: 12 } }),
  'waved-photo': (seed) => ({ answering: true, face: { seed, flat: true } }),
  'unnamed-driver': (seed) => ({ answering: true, face: { seed }, label: 'OBS Virtual Camera' }),
};

export async function benchCamera({ tries, kind }: CameraBenchOptions): Promise<BenchResult> {
  const rows: string[] = [];
  const rates: Record<string, number> = {};
  for (const [name, scene] of Object.entries(scenes).filter(([each]) => kind === undefined || kind === each)) {
    const played: (Participation & { readonly seconds: number })[] = [];
    for (let seed = 1; seed <= tries; seed += 1) played.push(await play(scene(seed)));
    const passed = played.filter(({ reply }) => reply.status === 'pass').length;
    rates[name] = passed / tries;
    const seconds = median(played.map((each) => each.seconds)).toFixed(0);
    rows.push(`${name}: ${passed} of ${tries} passed, ${seconds} s a session, load ${loadavg()[0]?.toFixed(1)}`);
    for (const each of played) rows.push(`        ${describe(each)}`);
  }
  return { table: rows.join('\n'), ratios: rates };
}

function describe({ run, reply, signals, seconds }: Participation & { readonly seconds: number }): string {
  const frames = (run.outcome?.parts['frames'] as { readonly atMs: readonly number[] } | undefined)?.atMs ?? [];
  const rate = (frames.length - 1) / (((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / 1_000);
  return [
    `${reply.status} in ${seconds.toFixed(0)} s, ${rate.toFixed(1)} frames/s, liveness ${reply.scores.liveness?.toFixed(2)}`,
    ...[reply.biometricEvidence, ...reply.failureReasons, signals.join(' ')].filter(
      (part) => part !== null && part !== '',
    ),
  ].join('; ');
}

/** Each in a service and a browser of its own, so that nobody came before. */
async function play({ clip, ...scene }: Scene): Promise<Participation & { readonly seconds: number }> {
  const work: (() => Promise<unknown>)[] = [];
  const test: Test = { teardown: (done) => work.unshift(done) };
  try {
    const page = clip === undefined ? {} : await recordCamera(test, ...clip);
    const service = await startTestService(test);
    const beganMs = performance.now();
    const taken = await takePart(test, { ...scene, page: { ...page, ...scene.page }, service });
    return { ...taken, seconds: (performance.now() - beganMs) / 1_000 };
  } finally {
    for (const done of work) await done();
  }
}
