/** Input events that a script made up. Scripts of honest pages make some too, so the count is a hint. */
import type { Watcher } from '../types.js';

const types = [
  'pointermove',
  'mousemove',
  'pointerdown',
  'mousedown',
  'click',
  'keydown',
  'wheel',
  'touchstart',
] as const;

export const watchTrust: Watcher<'beh'> = (listen) => {
  const started = performance.now();
  let untrusted = 0;
  for (const type of types) {
    listen(
      type,
      () => {
        untrusted++;
      },
      true,
    );
  }
  return () => ({ ms: Math.round(performance.now() - started), untrusted });
};
