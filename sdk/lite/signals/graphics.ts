/** Names the graphics hardware. */
import { readPageFacts } from '../facts.js';
import type { Reader } from '../types.js';

export const readGraphics: Reader<'gfx'> = () => {
  const [vendor, renderer] = readPageFacts()['gpu']?.split('~') ?? [];
  return { vendor: vendor?.slice(0, 128) ?? null, renderer: renderer?.slice(0, 256) ?? null };
};
