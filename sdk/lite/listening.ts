/**
 * Listeners at the window that can all be taken off at once. They run in the capture phase, so that
 * a page which stops an event does not hide it, and passively, so that they never hold up scrolling.
 */
import type { Listen } from './types.js';

export interface Listening {
  readonly listen: Listen;
  readonly stop: () => void;
}

export function createListening(): Listening {
  const removals: (() => void)[] = [];
  const options = { capture: true, passive: true };
  return {
    listen(type, handle, untrusted) {
      const guarded = (event: WindowEventMap[typeof type]) => {
        if (event.isTrusted === !untrusted) {
          try {
            handle(event);
          } catch {
            // An odd event must not surface as an error of the page.
          }
        }
      };
      addEventListener(type, guarded, options);
      removals.push(() => removeEventListener(type, guarded, options));
    },
    stop() {
      removals.splice(0).forEach((remove) => remove());
    },
  };
}
