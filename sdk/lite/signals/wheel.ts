/** Scrolling, how much of it in notches, and whether the two distances that a wheel event reports agree. */
import type { Watcher } from '../types.js';

export const watchWheel: Watcher<'beh'> = (listen) => {
  let wheels = 0;
  let wheelLies = 0;
  let wheelTicks = 0;
  let scrolls = 0;
  listen('wheel', (event) => {
    const legacy = (event as { wheelDeltaY?: number }).wheelDeltaY;
    wheels++;
    // A wheel's notch scrolls at least this far; a touchpad begins and ends with less.
    if (Math.abs(event.deltaY) >= 50) wheelTicks++;
    if (legacy !== undefined && Math.abs(event.deltaY) >= 1 && legacy * event.deltaY >= 0) wheelLies++;
  });
  listen('scroll', () => {
    scrolls++;
  });
  return () => ({ wheels, wheelTicks, wheelLies, scrolls });
};
