/**
 * Marks by which a capture is recognised when it comes again. Those of its frames know it while most frames stay as they were, in whatever order.
 * Those of its motion know it after all of them were changed alike (motion-marks.ts). Each kind keeps those with the least digests: captures
 * that share most share most of these.
 */
import { createHash } from 'node:crypto';
import { pointBytes, topologyPoints, type Envelope, type EnvelopeFrames } from '../../src/contract/envelope.js';
import type { CaptureMarks } from '../../src/contract/verdict.js';
import { markDigits, markMotion } from './motion-marks.js';

export const frameMarksMax = 8;
export const motionMarksMax = 64;
const soughtMax = 1_024;

export function markCapture({ frames, embedding }: Envelope): CaptureMarks {
  const motion = frames == null ? { own: [], atAnyPace: [] } : markMotion(frames);
  return {
    embedding: embedding == null ? null : digest(`${embedding.model} ${embedding.dimension} ${embedding.values}`),
    frames: frames == null ? [] : least(markFrames(frames), frameMarksMax),
    motion: least(motion.own, motionMarksMax),
    motionSought: least(motion.atAnyPace, soughtMax),
  };
}

function markFrames({ points, topology }: EnvelopeFrames): readonly string[] {
  const bytes = Buffer.from(points, 'base64');
  const stride = topologyPoints[topology] * pointBytes;
  return Array.from({ length: Math.floor(bytes.length / stride) }, (_, frame) =>
    digest(bytes.subarray(frame * stride, (frame + 1) * stride)),
  );
}

const least = (marks: readonly string[], count: number): string[] => [...new Set(marks)].sort().slice(0, count);

function digest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, markDigits);
}
