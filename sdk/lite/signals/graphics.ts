/** Names the graphics hardware. */
import type { Reader } from '../types.js';

export const readGraphics: Reader<'gfx'> = () => {
  const gl = document.createElement('canvas').getContext('webgl');
  if (!gl) return { vendor: null, renderer: null };
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const read = (name: number, fallback: number, length: number) =>
    String(gl.getParameter(info ? name : fallback)).slice(0, length);
  const found = { vendor: read(37445, 7936, 128), renderer: read(37446, 7937, 256) };
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return found;
};
