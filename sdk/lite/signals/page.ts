/** Whether the page is framed, hidden, or lost the focus, and for how long it was hidden. */
import { round } from '../sample.js';
import type { Watcher } from '../types.js';

export const watchPage: Watcher<'page'> = (listen) => {
  let blurs = 0;
  let hiddenMs = 0;
  let since = document.hidden ? performance.now() : 0;
  listen('blur', (event) => {
    if (event.target === window) blurs++;
  });
  // Bubbles from the document to the window.
  listen('visibilitychange' as 'blur', () => {
    if (document.hidden) since = performance.now();
    else if (since) {
      hiddenMs += performance.now() - since;
      since = 0;
    }
  });
  return () => ({
    framed: self !== top,
    hidden: document.hidden,
    hiddenMs: round(hiddenMs + (since && performance.now() - since)),
    blurs,
  });
};
