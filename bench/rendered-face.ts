/** An attacker's renderer: one photograph on a mesh that does what is asked, drawn without browser or camera, with its points and a picture of every frame. */
import { pathToFileURL } from 'node:url';
import { takeFacePicture } from '../sdk/capture/worker/face-picture.js';
import { toLuminance } from '../sdk/capture/worker/luminance.js';
import { keyPoints } from '../sdk/capture/worker/mesh-points.js';
import type { IssuedChallenge } from '../src/contract/verdict.js';
import { openCapturePage } from '../test/helpers/capture-page.js';
import { tracksOf, type Capture } from '../test/helpers/captures.js';
import { drawReadingErrors, packFrames, webcam } from '../test/helpers/head.js';
import { repositoryPath } from '../test/helpers/repository.js';
import { createRandom } from '../workers/seeded-random.js';
import type { Attempt } from './forge-session.js';
import { hashOf } from './recording.js';

/** A photograph, RGBA, with the mesh of its face: points x, y and depth in pixels, and three indices for each triangle. */
export interface MeshedPhoto {
  readonly photo: { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };
  readonly mesh: readonly (readonly [number, number, number])[];
  readonly triangles: readonly number[];
}

/** The head of test/sdk/capture/page/synthetic-camera.js. */
interface Head {
  readonly width: number;
  readonly height: number;
  perform(type: string, delayMs: number, nowMs: number): void;
  /** Answers the places of the mesh in the picture. */
  draw(image: { readonly data: Uint8ClampedArray }, atMs: number): readonly (readonly number[])[];
}

const frameMs = 80;
const reactionMs = 380;
/** Longer than the longest movement and the reaction to it. */
const pace = { leadMs: 920, gapMs: 400, shownMs: 2_400 } as const;

/** Finds the mesh once, in a browser, as an attacker does on any machine. */
export async function meshPhoto(): Promise<MeshedPhoto> {
  const work: (() => unknown)[] = [];
  try {
    const { page } = await openCapturePage({ teardown: (done) => void work.unshift(done) });
    const { mesh, triangles, width, height, data } = await page.evaluate<
      Pick<MeshedPhoto, 'mesh' | 'triangles'> & { width: number; height: number; data: string }
    >('meshPhoto()');
    return { mesh, triangles, photo: { width, height, data: new Uint8ClampedArray(Buffer.from(data, 'base64')) } };
  } finally {
    for (const done of work) await done();
  }
}

/** A session in which the rendered head answers; light, drift and noise are the seed's own. */
export async function renderAnswers({ photo, mesh, triangles }: MeshedPhoto, seed: number): Promise<Attempt> {
  const file = pathToFileURL(repositoryPath('test/sdk/capture/page/synthetic-camera.js')).href;
  const { createSyntheticFace } = (await import(file)) as {
    readonly createSyntheticFace: (...photo: readonly unknown[]) => Head;
  };
  const head = createSyntheticFace(photo, mesh, triangles, { seed });
  const random = createRandom(seed);
  const { width, height } = head;
  const image = { width, height, data: new Uint8ClampedArray(width * height * 4) };
  const pictures = new Map<string, Buffer>();
  const [atMs, places, hashes]: [number[], Float64Array[], string[]] = [[], [], []];
  let nextAt = frameMs;

  function addFrame(at: number): void {
    const mesh = head.draw(image, at);
    const points = keyPoints.flatMap((place) => [mesh[place]?.[0] ?? 0, mesh[place]?.[1] ?? 0]);
    const picture = Buffer.from(takeFacePicture(toLuminance(image), points));
    const hash = hashOf(picture);
    const errors = drawReadingErrors(webcam, random);
    atMs.push(Math.round(at * 10) / 10);
    places.push(Float64Array.from(points, (value, index) => value + (errors[index] ?? 0)));
    hashes.push(hash);
    pictures.set(hash, picture);
  }

  /** Draws what is new of the challenges known; those that come later begin with another frame. */
  function make(challenges: readonly IssuedChallenge[]): Capture {
    const startOf = (index: number): number => pace.leadMs + index * (pace.shownMs + pace.gapMs);
    const known = challenges.filter(({ id }) => !id.startsWith('later-'));
    const endMs = known.length === 0 ? 0 : startOf(known.length - 1) + pace.shownMs;
    for (; nextAt < endMs; nextAt += frameMs + (random() - 0.5) * 6) {
      const begun = known.findLast((_, index) => startOf(index) >= (atMs.at(-1) ?? 0) && startOf(index) < nextAt);
      if (begun !== undefined) head.perform(begun.type, reactionMs, nextAt);
      addFrame(nextAt);
    }
    const frames = { ...packFrames(places, atMs, 'key23', head), hashes: [...hashes] };
    const tracks = tracksOf({ ...pace, challenges }, atMs);
    return { frames, challenges: tracks, endMs: startOf(challenges.length - 1) + pace.shownMs + pace.gapMs };
  }
  return { seed, make, pictures };
}
