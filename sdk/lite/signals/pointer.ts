/** How the pointer moves: its rhythm, speed, turns, straightness, and how the browser delivered it. */
import { createSample, round } from '../sample.js';
import type { Watcher } from '../types.js';

/** A pause that ends a stroke, milliseconds. */
const pauseMs = 300;

export const watchPointer: Watcher<'beh'> = (listen) => {
  const interval = createSample();
  const speed = createSample();
  const turn = createSample();
  const straight = createSample();
  const coalesced = createSample();
  let moves = 0;
  let fractional = 0;
  let resolution = Infinity;
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
    if (event.clientX % 1 || event.clientY % 1) fractional++;
    coalesced(event.getCoalescedEvents?.().length || NaN);
    const ms = last ? event.timeStamp - last.timeStamp : 0;
    // Whole milliseconds leave nothing behind the point, and what is left shows how fine the clock is.
    if (ms > 0) resolution = Math.min(resolution, round(ms % 1) || 1);
    if (ms > pauseMs) endStroke();
    if (start) {
      const direction = Math.atan2(event.clientY - last!.clientY, event.clientX - last!.clientX);
      const change = Math.abs(direction - angle);
      interval(ms);
      speed(length / ms);
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
      speed: speed(),
      turn: turn(),
      straight: current === null ? mean && mean[1] : round(((mean ? mean[1] * strokes : 0) + current) / (strokes + 1)),
      coalesced: coalesced(),
      resolution: resolution < Infinity ? resolution : null,
      fractional: moves ? round(fractional / moves) : null,
    };
  };
};
