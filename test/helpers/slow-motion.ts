/**
 * Slow motion: a service and the pages of its respondents, whose clocks all go at a part of the real pace. A machine without a graphics
 * processor then draws and judges as many frames in a second of theirs as a phone does, whatever else it has to do.
 */
import { readRepositoryFile } from './repository.js';

export interface SlowMotion {
  /** The service’s clock, ms since 1970. */
  now(): number;
  /** For a page to run before its own scripts. */
  readonly script: string;
}

/** Real seconds that one of theirs takes: two slow cores, busy with other things, still give 18 of 24 frames a second. */
const times = 4;

export function startSlowMotion(): SlowMotion {
  const startMs = Date.now();
  const code = readRepositoryFile('test/sdk/capture/page/slow-motion.js');
  return {
    now: () => startMs + Math.floor((Date.now() - startMs) / times),
    script: `${code}\nslowDown(${times}, ${startMs});`,
  };
}
