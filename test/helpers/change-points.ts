/** Captures whose points were changed after they were taken. */
import { pointBytes, topologyPoints } from '../../src/contract/envelope.js';
import type { Capture } from './captures.js';

/** Moves a point of a frame, in units. */
export type PointChange = (x: number, y: number, frame: number) => readonly [x: number, y: number];

/** Changes every point of every frame; each place takes the point of `from`, its own unless said. */
export function changePoints<T extends Pick<Capture, 'frames'>>(
  capture: T,
  by: PointChange,
  from?: readonly number[],
): T {
  const was = Buffer.from(capture.frames.points, 'base64');
  const bytes = Buffer.alloc(was.length);
  const points = topologyPoints[capture.frames.topology];
  for (let at = 0; at < bytes.length / pointBytes; at += 1) {
    const frame = Math.floor(at / points);
    const source = (frame * points + (from?.[at % points] ?? at % points)) * pointBytes;
    const [x, y] = by(was.readInt16LE(source), was.readInt16LE(source + 2), frame);
    const limited = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)));
    bytes.writeInt16LE(limited(x), at * pointBytes);
    bytes.writeInt16LE(limited(y), at * pointBytes + 2);
  }
  return { ...capture, frames: { ...capture.frames, points: bytes.toString('base64') } };
}
