/** How the pointer moves: its rhythm, turns, straightness, and how the browser delivered it. */
import { createSample, isFine, round } from '../sample.js';
import type { Watcher } from '../types.js';

/** A pause that ends a stroke, milliseconds. */
const pauseMs = 300;

export const watchPointer: Watcher<'beh'> = (listen) => {
  const interval = createSample();
  const turn = createSample();
  const straight = createSample();
  const coalesced = createSample();
  let moves = 0;
  let subpixel = 0;
  let fineTimes = 0;
  let last: PointerEvent | undefined;
  let start: PointerEvent | undefined;
  let path = 0;
  let angle = NaN;
  const distance = (a: PointerEvent, b: PointerEvent) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  const endStroke = () => {
    if (path > 20) straight(distance(start!, last!) / path);
    start = undefined;
    path = 0;
    angle = NaN;
  };
  listen('pointermove', (event) => {
    const length = last ? distance(event, last) : 1;
    if (!length) return;
    moves++;
    // Zoomed and dense screens have fractions of CSS pixels by right.
    if (devicePixelRatio === 1 && (event.clientX % 1 || event.clientY % 1)) subpixel++;
    coalesced(event.getCoalescedEvents?.().length || NaN);
    const ms = last ? event.timeStamp - last.timeStamp : 0;
    if (isFine(ms)) fineTimes++;
    if (ms > pauseMs) endStroke();
    if (start) {
      const direction = Math.atan2(event.clientY - last!.clientY, event.clientX - last!.clientX);
      const change = Math.abs(direction - angle);
      interval(ms);
      turn(Math.min(change, 2 * Math.PI - change));
      angle = direction;
      path += length;
    } else start = event;
    last = event;
  });
  return () => {
    // The mean over finished strokes and the one under way.
    const mean = straight();
    const current = path > 20 ? distance(start!, last!) / path : null;
    const strokes = mean ? mean[0] : 0;
    return {
      moves,
      interval: interval(),
      turn: turn(),
      straight: current === null ? mean && mean[1] : round(((mean ? mean[1] * strokes : 0) + current) / (strokes + 1)),
      coalesced: coalesced(),
      subpixel,
      fineTimes,
    };
  };
};
