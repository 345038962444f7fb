/** Marks by which a capture is recognised when it comes again: captures that share most frames share most marks, in whatever order. */
import { createHash } from 'node:crypto';
import { pointBytes, topologyPoints, type Envelope } from '../../src/contract/envelope.js';
import type { CaptureMarks } from '../../src/contract/verdict.js';

/** A mark is 64 bits: enough that no two captures of a project share one by chance. */
const markDigits = 16;
export const frameMarksMax = 8;

export function markCapture({ frames, embedding }: Envelope): CaptureMarks {
  return {
    embedding: embedding == null ? null : digest(`${embedding.model} ${embedding.dimension} ${embedding.values}`),
    frames: frames == null ? [] : markFrames(frames),
  };
}

function markFrames({ points, topology }: NonNullable<Envelope['frames']>): string[] {
  const bytes = Buffer.from(points, 'base64');
  const stride = topologyPoints[topology] * pointBytes;
  const marks = new Set<string>();
  for (let at = 0; at + stride <= bytes.length; at += stride) marks.add(digest(bytes.subarray(at, at + stride)));
  return [...marks].sort().slice(0, frameMarksMax);
}

function digest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, markDigits);
}
