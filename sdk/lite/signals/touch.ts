/** Fingers on the screen, and the motion of the device that they cause. */
import { createSample } from '../sample.js';
import type { Watcher } from '../types.js';

export const watchTouch: Watcher<'beh'> = (listen) => {
  const force = createSample();
  const radius = createSample();
  const motion = createSample();
  let touches = 0;
  listen('touchstart', (event) => {
    for (const touch of event.changedTouches) {
      touches++;
      force(touch.force);
      radius(touch.radiusX);
    }
  });
  listen('devicemotion', ({ acceleration }) => {
    if (acceleration?.x != null) motion(Math.hypot(acceleration.x, acceleration.y!, acceleration.z!));
  });
  return () => ({ touches, touchForce: force(), touchRadius: radius(), motion: motion() });
};
