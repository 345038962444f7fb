/**
 * Looks at one frame after the other: follows a face, counts faces now and then, and gathers what is measured of the whole capture.
 * Frames themselves are gone when the call returns; of a few good ones a piece of the face is kept for the embedding.
 */
import type { Summary, FrameAnalysis } from '../frame-analysis.js';
import { readAgeGender, ageSide } from './age-gender.js';
import { findFaces } from './detector.js';
import { takeFacePicture } from './face-picture.js';
import { createFlickerMeter, type FlickerMeter } from './flicker.js';
import { measureEdges } from './edges.js';
import { mean, quantile, toLuminance, type FacePlace, type Luminance } from './luminance.js';
import { readMesh, type Mesh } from './mesh.js';
import { keyPoints } from './mesh-points.js';
import type { Weights } from './layers.js';
import type { LaterModels, FirstModels } from './models.js';
import { createNoiseMeter, type NoiseMeter } from './noise.js';
import { cutSquare, hashPicture, type Picture, type Square } from './picture.js';
import { embedFace, recognitionModel, recognitionSide } from './recognition.js';
import { measureCheeks, measureSkin, type Skin } from './skin.js';
import { measureMoire } from './spectrum.js';
import { createPortraits } from './portraits.js';

/** Every how many frames faces are counted, and the slow statistics are taken. */
const countEvery = 12;
const slowEvery = 5;
/** How much larger than the face the embedding’s piece is. */
const recognitionMargin = 1.2;

export interface FrameAnalyzer {
  analyze(picture: Picture): FrameAnalysis;
  conclude(later: LaterModels): Promise<Summary>;
}

/** `demographics`: whether lightness of the skin is measured; `takesPictures`: whether the picture of each face is kept. */
export function createFrameAnalyzer(
  first: FirstModels,
  { demographics, takesPictures }: { readonly demographics: boolean; readonly takesPictures: boolean },
): FrameAnalyzer {
  const readings: Readings = {
    cheeks: [],
    noise: createNoiseMeter(),
    flicker: createFlickerMeter(),
    skins: [],
    moires: [],
    edges: [],
  };
  const { noise, flicker, skins, moires, edges } = readings;
  const portraits = createPortraits();
  let square: Square | null = null;
  let faces = 0;
  let frame = 0;

  function follow(picture: Picture): Mesh | null {
    if (square === null || frame % countEvery === 0) {
      const found = findFaces(first.detector, picture);
      faces = found.length;
      square ??= found[0]?.square ?? null;
    }
    const mesh = square === null ? null : readMesh(first, picture, square);
    square = mesh?.square ?? null;
    if (mesh !== null) faces = Math.max(1, faces);
    return mesh;
  }

  function measure(picture: Picture, luminance: Luminance, mesh: Mesh): Skin {
    const face: FacePlace = { x: mesh.square.x, y: mesh.square.y, width: mesh.square.side };
    const skin = measureSkin(picture, luminance, face);
    skins.push(skin);
    if (demographics) readings.cheeks.push(measureCheeks(luminance, face));
    portraits.offer(picture, mesh, skin.sharpness);
    if (frame % slowEvery === 0) {
      edges.push(measureEdges(luminance, face));
      const moire = measureMoire(luminance, face.x, face.y);
      if (moire !== null) moires.push(moire);
    }
    return skin;
  }

  return {
    analyze(picture) {
      const hash = hashPicture(picture);
      const luminance = toLuminance(picture);
      const mesh = follow(picture);
      noise.add(luminance, hash);
      flicker.add(luminance);
      const skin = mesh === null ? null : measure(picture, luminance, mesh);
      frame += 1;
      const points = mesh === null ? null : pickPoints(mesh.points);
      return {
        width: picture.width,
        height: picture.height,
        points,
        picture: takesPictures && points !== null ? takeFacePicture(luminance, points) : null,
        faces: mesh === null ? 0 : faces,
        hash,
        brightness: skin?.brightness ?? mean(luminance.values) / 255,
      };
    },
    async conclude(models) {
      return { ...summarize(readings), ...(await identify(models, portraits.best())) };
    },
  };
}

interface Readings {
  readonly cheeks: number[];
  readonly noise: NoiseMeter;
  readonly flicker: FlickerMeter;
  readonly skins: Skin[];
  readonly moires: number[];
  readonly edges: number[];
}

function summarize({ cheeks, noise, flicker, skins, moires, edges }: Readings) {
  const { noise: level, repeat } = noise.read();
  const usual = (values: readonly (number | null)[]): number | null =>
    quantile(
      values.filter((value) => value !== null),
      0.5,
    );
  return {
    moire: usual(moires),
    screenEdges: usual(edges),
    glare: usual(skins.map(({ glare }) => glare)),
    flicker: flicker.read(),
    sharpness: usual(skins.map(({ sharpness }) => sharpness)),
    brightness: usual(skins.map(({ brightness }) => brightness)),
    contrast: usual(skins.map(({ contrast }) => contrast)),
    noise: level,
    noiseRepeat: repeat,
    faceNoiseRatio: usual(skins.map(({ noiseRatio }) => noiseRatio)),
    faceDetailRatio: usual(skins.map(({ detailRatio }) => detailRatio)),
    skinLuminance: usual(cheeks),
  } satisfies Partial<Summary>;
}

export function pickPoints(points: Float32Array): Float32Array {
  return Float32Array.from({ length: keyPoints.length * 2 }, (_, index) => {
    const place = keyPoints[index >> 1] ?? 0;
    return points[place * 2 + (index & 1)] ?? 0;
  });
}

type Identity = Pick<Summary, 'embedding' | 'embeddingModel' | 'age' | 'male'>;
type Faces = readonly { readonly picture: Picture; readonly square: Square }[];

/** The mean of the portraits’ vectors, which one bad frame moves less than it would a single one. */
export async function embedPortraits(
  recognition: Weights,
  portraits: Faces,
): Promise<Pick<Summary, 'embedding' | 'embeddingModel'>> {
  const vectors: Float32Array[] = [];
  for (const { picture, square } of portraits)
    vectors.push(await embedFace(recognition, cutPiece(picture, square, recognitionSide)));
  const [one] = vectors;
  return {
    embedding: one === undefined ? null : one.map((_, index) => mean(vectors.map((vector) => vector[index] ?? 0))),
    embeddingModel: recognitionModel,
  };
}

async function identify({ recognition, ageGender }: LaterModels, portraits: Faces): Promise<Identity> {
  const ages: number[] = [];
  const males: number[] = [];
  for (const { picture, square } of portraits) {
    if (ageGender === null) break;
    const { age, male } = await readAgeGender(ageGender, cutPiece(picture, square, ageSide));
    ages.push(age);
    males.push(male);
  }
  return {
    ...(await embedPortraits(recognition, portraits)),
    age: ages.length === 0 ? null : mean(ages),
    male: males.length === 0 ? null : mean(males),
  };
}

function cutPiece(picture: Picture, square: Square, size: number): Float32Array {
  const piece = new Float32Array(size * size * 3);
  cutSquare(picture, { ...square, side: square.side * recognitionMargin }, { size, scale: 1, offset: 0 }, piece);
  return piece;
}
