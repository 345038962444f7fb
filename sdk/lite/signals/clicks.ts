/** How buttons are pressed: how long, how soon after the last move, how near the target's centre. */
import { createSample } from '../sample.js';
import type { Watcher } from '../types.js';

/** Elements that people aim at; the centre of a whole paragraph says nothing. */
const targets = 'button,a,input,label,select,textarea,summary,[role]';
/** A label passes its click on to its field within this time, and a key press becomes a click, milliseconds. */
const echoMs = 500;

export const watchClicks: Watcher<'beh'> = (listen) => {
  const dwell = createSample();
  const settle = createSample();
  const centre = createSample();
  let clicks = 0;
  let bare = 0;
  let pressureZero = 0;
  let movedAt = NaN;
  let pressedAt = NaN;
  let causeAt = -Infinity;
  listen('pointermove', (event) => {
    movedAt = event.timeStamp;
  });
  listen('keydown', (event) => {
    causeAt = event.timeStamp;
  });
  listen('pointerdown', (event) => {
    // However long the button is held.
    causeAt = Infinity;
    pressedAt = event.timeStamp;
    if (event.pointerType === 'mouse') {
      settle(pressedAt - movedAt);
      if (!event.pressure) pressureZero++;
    }
    const box = (event.target as Element).closest?.(targets)?.getBoundingClientRect();
    if (box) {
      const offset = Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
      centre(Math.min(1, (2 * offset) / Math.hypot(box.width, box.height)));
    }
  });
  listen('pointerup', (event) => {
    dwell(event.timeStamp - pressedAt);
    pressedAt = NaN;
  });
  const click = (event: Event) => {
    clicks++;
    if (event.timeStamp - causeAt > echoMs) bare++;
    else causeAt = event.timeStamp;
  };
  listen('click', click);
  listen('click', click, true);
  return () => ({
    clicks,
    clickDwell: dwell(),
    clickSettle: settle(),
    clickCentre: centre(),
    clickBare: bare,
    pressureZero,
  });
};
