/**
 * Judges pictures of a capture again, with the models that the page had: the service runs it in a thread (dist/workers/judge-pictures.js).
 * Models are read once, before the thread takes a capture. No picture is left when the answer is there.
 */
import { readFile } from 'node:fs/promises';
import { workerData } from 'node:worker_threads';
import type { PictureFindings, PictureTask, PictureThread } from '../../../src/contract/evidence-frames.js';
import { modelFiles } from '../model-files.js';
import { toEmbedding } from '../parts.js';
import { findFaces } from './detector.js';
import { compareFaces } from './likeness.js';
import { embedPortraits, pickPoints } from './frame-analyzer.js';
import type { Weights } from './layers.js';
import { readMesh, type Mesh } from './mesh.js';
import { fetchRecognition, loadFirst, type FirstModels } from './models.js';
import type { Picture } from './picture.js';
import { pickUsual, readLook } from './portraits.js';

interface Models {
  readonly first: FirstModels;
  readonly recognition: Weights;
}

let loading: Promise<Models> | null = null;

async function load(): Promise<Models> {
  const { directory } = workerData as PictureThread;
  const read = async (name: string): Promise<Response> => new Response(await readFile(`${directory}/${name}`));
  const source = { read, files: modelFiles };
  const first = await loadFirst(source);
  return { first, recognition: await fetchRecognition(source) };
}

/** A read that failed is repeated by the next call. */
function readModels(): Promise<Models> {
  loading ??= load();
  loading.catch(() => (loading = null));
  return loading;
}

/** A thread is ready once this settles. Its start so ends with no capture, which has a deadline and would take the thread along. */
export default readModels().then(
  () => judgePictures,
  () => judgePictures,
);

async function judgePictures({ pictures }: PictureTask): Promise<PictureFindings> {
  const { first, recognition } = await readModels();
  const seen = pictures.map(({ width, height, grey }) => readFace(first, toPicture(grey, width, height)));
  const portraits = seen.flatMap((each) => (each === null ? [] : [{ ...each, look: readLook(each.mesh) }]));
  const best = pickUsual(portraits).map(({ picture, mesh }) => ({ picture, square: mesh.square }));
  const faces = seen.map((each) => (each === null ? null : [...pickPoints(each.mesh.points)]));
  return {
    faces,
    likeness: compareFaces(
      seen.map((each, index) => (each === null ? null : { picture: each.picture, points: faces[index] ?? [] })),
    ),
    embedding: toEmbedding(await embedPortraits(recognition, best)),
  };
}

interface Seen {
  readonly picture: Picture;
  readonly mesh: Mesh;
}

function readFace(models: FirstModels, picture: Picture): Seen | null {
  const [surest] = findFaces(models.detector, picture);
  const mesh = surest === undefined ? null : readMesh(models, picture, surest.square);
  return mesh === null ? null : { picture, mesh };
}

function toPicture(grey: Uint8Array, width: number, height: number): Picture {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < width * height; index += 1) data.fill(grey[index] ?? 0, index * 4, index * 4 + 3);
  return { data, width, height };
}
