/**
 * The frame of a device or a print around the face: a straight line on each side of it. Three sides of four have to show one; the walls and
 * doors behind a person seldom draw three sides of a box around the head.
 */
import { ramp, type FacePlace, type Luminance } from './luminance.js';

/** Tilts of a line, pixels aside per pixel along. */
const slants = [-0.16, -0.08, -0.04, 0, 0.04, 0.08, 0.16];
/** Change of luminance across a line, levels of 255, over this many pixels to either side. */
const levelsMin = 14;
const reach = 2;
/** Share of a line’s length that is there: from where on it speaks, and speaks fully. */
const shareLow = 0.75;
const shareHigh = 0.95;
/** Lines are sought from here, measured from the face’s middle in widths of the face; the last number is half the length of the search. */
const nearest = 0.62;
const farthest = 2.4;
const halfLength = 0.55;

/** 0-1. */
export function measureEdges(picture: Luminance, face: FacePlace): number {
  const sides = [
    findLine(picture, face, -1, false),
    findLine(picture, face, 1, false),
    findLine(picture, face, -1, true),
    findLine(picture, face, 1, true),
  ].sort((a, b) => b - a);
  return ramp(sides[2] ?? 0, shareLow, shareHigh);
}

/** The best line on one side: the share of its places where luminance changes the same way across it. */
function findLine(picture: Luminance, face: FacePlace, side: 1 | -1, lying: boolean): number {
  const { values, width, height } = picture;
  const [across, along] = lying ? [face.y, face.x] : [face.x, face.y];
  const [acrossMax, alongMax] = lying ? [height, width] : [width, height];
  const [stepAcross, stepAlong] = lying ? [width, 1] : [1, width];
  const half = face.width * halfLength;
  const from = Math.max(0, Math.round(along - half));
  const to = Math.min(alongMax - 1, Math.round(along + half));
  if (to - from < half) return 0;
  let best = 0;
  for (let away = face.width * nearest; away < face.width * farthest; away += 2) {
    const middle = across + side * away;
    if (middle < reach || middle >= acrossMax - reach) break;
    for (const slant of slants) {
      let brighter = 0;
      let darker = 0;
      let count = 0;
      for (let place = from; place <= to; place += 4) {
        const line = Math.round(middle + slant * (place - along));
        count += 1;
        if (line < reach || line >= acrossMax - reach) continue;
        const at = line * stepAcross + place * stepAlong;
        const change = (values[at + reach * stepAcross] ?? 0) - (values[at - reach * stepAcross] ?? 0);
        if (change > levelsMin) brighter += 1;
        else if (change < -levelsMin) darker += 1;
      }
      best = Math.max(best, Math.max(brighter, darker) / count);
    }
  }
  return best;
}
