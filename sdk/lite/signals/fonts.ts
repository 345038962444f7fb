/** Detects by the width of a text which fonts of a fixed list are installed, as one hash. */
import { hashText } from '../hash.js';
import type { Reader } from '../types.js';

const list =
  'Arial,Calibri,Comic Sans MS,DejaVu Sans,Helvetica Neue,Impact,Liberation Sans,Menlo,Noto Sans,PingFang SC,Roboto,Segoe UI,Ubuntu,Verdana';

export const readFonts: Reader<'env'> = () => {
  const pen = document.createElement('canvas').getContext('2d')!;
  const measure = (family: string) => {
    pen.font = '72px ' + family;
    return pen.measureText('mmMwWLliI0O&1').width;
  };
  const base = measure('monospace');
  return {
    fonts: hashText(
      list
        .split(',')
        .filter((name) => measure(`"${name}",monospace`) !== base)
        .join(),
    ),
  };
};
