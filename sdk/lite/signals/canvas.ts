/** How text and curves are drawn, and whether twice the same: noise against recognition differs each time. */
import { hashText } from '../hash.js';
import type { Reader } from '../types.js';

function draw(): string {
  const canvas = document.createElement('canvas');
  canvas.width = 220;
  canvas.height = 40;
  const pen = canvas.getContext('2d')!;
  pen.fillStyle = '#e63';
  pen.fillRect(90, 4, 60, 24);
  pen.fillStyle = '#069';
  pen.font = '15px Arial';
  pen.fillText('Sphinx of quartz \u{1f600}', 3, 20);
  pen.fillStyle = '#6c06';
  pen.arc(60, 20, 18, 0, 6);
  pen.fill();
  return canvas.toDataURL();
}

export const readCanvas: Reader<'gfx'> = () => {
  const first = draw();
  return { canvas: hashText(first), stable: first === draw() };
};
