/** Screen and window sizes, in CSS pixels. */
import type { Reader } from '../types.js';

export const readDisplay: Reader<'scr'> = () => ({
  w: screen.width,
  h: screen.height,
  availW: screen.availWidth,
  availH: screen.availHeight,
  outerW: outerWidth,
  outerH: outerHeight,
  innerW: innerWidth,
  innerH: innerHeight,
  dpr: devicePixelRatio,
  depth: screen.colorDepth,
});
