/**
 * Pictures that a project may ask for as evidence (`config.evidenceFrames`): grey squares around the face, of frames that the service names
 * after the capture. Page and service derive the square from the frame’s landmarks, so that it is not sent.
 */
import { Type, type Static } from 'typebox';
import type { EnvelopeEmbedding } from './envelope.js';
import { evidenceFrameSideMax, frameCountMax } from '../limits.js';

export const evidenceFramesModes = ['off', 'sampled'] as const;
export type EvidenceFramesMode = (typeof evidenceFramesModes)[number];
const side = Type.Integer({ minimum: 16, maximum: evidenceFrameSideMax, description: 'Pixels.' });

export const EvidenceFrame = Type.Object({
  index: Type.Integer({ minimum: 0, maximum: frameCountMax - 1, description: 'Index of the frame in the envelope.' }),
  width: side,
  height: side,
  grey: Type.String({
    maxLength: Math.ceil(evidenceFrameSideMax ** 2 / 3) * 4,
    pattern: '^[A-Za-z0-9+/]*={0,2}$',
    description: 'Base64 of the luminance of each pixel, row by row, 1 byte each.',
  }),
});
export type EvidenceFrame = Static<typeof EvidenceFrame>;

/** A square of a frame, upright, its middle and side in pixels of the frame. */
export interface FaceCrop {
  readonly x: number;
  readonly y: number;
  readonly side: number;
}

/** Side of the square over the distance of the eyes’ outer corners: a face with what its models want to see around it. */
export const cropSideInEyes = 3.2;
/** Depth of the mouth below the eyes over that distance, in a face that looks ahead: a turned face does not get a smaller square. */
const mouthDrop = 0.78;
/** How far the middle lies on the way from the eyes to the mouth. */
const middleShare = 0.4;

/** The square that is sent of a frame, from its points x, y in the layout key23. */
export function cropFace(points: ArrayLike<number>): FaceCrop {
  const middle = (axis: 0 | 1, ...places: readonly number[]): number =>
    places.reduce((sum, place) => sum + (points[place * 2 + axis] ?? 0), 0) / places.length;
  const [eyesX, eyesY] = [middle(0, 0, 3, 6, 9), middle(1, 0, 3, 6, 9)];
  const [mouthX, mouthY] = [middle(0, 16, 17), middle(1, 16, 17)];
  const width = Math.hypot(middle(0, 9) - middle(0, 0), middle(1, 9) - middle(1, 0));
  const size = Math.max(width, Math.hypot(mouthX - eyesX, mouthY - eyesY) / mouthDrop, 1);
  return {
    x: eyesX + (mouthX - eyesX) * middleShare,
    y: eyesY + (mouthY - eyesY) * middleShare,
    side: size * cropSideInEyes,
  };
}

/** A thread starts with this data. */
export interface PictureThread {
  /** Folder of the models. */
  readonly directory: string;
}

/** The pictures of one capture. */
export interface PictureTask {
  readonly pictures: readonly { readonly width: number; readonly height: number; readonly grey: Uint8Array }[];
}

export interface PictureFindings {
  /** x, y of the 23 points of key23 in pixels of each picture; null where it shows no face. */
  readonly faces: readonly (readonly number[] | null)[];
  /** Similarity of each pair of pictures after their faces’ points are aligned, -1 to 1; 0 if either shows no face. */
  readonly likeness: readonly (readonly number[])[];
  /** Taken from the pictures in which the face is closest to its usual state. */
  readonly embedding: EnvelopeEmbedding | null;
}
