/**
 * Decides when a run sends what has accrued since its last message: when the page hides, after some
 * seconds of activity, and when a button or link is pressed or a form submitted, so that a score
 * asked for right then finds the answers' behaviour. Each message waits longer than the one before,
 * which bounds their number.
 */
import type { Listen } from './types.js';

/** Times after the first activity at which an update goes out, milliseconds. */
const milestonesMs = [2e3, 5e3, 15e3];
/** The wait after the n-th update is n times this, milliseconds. */
const spacingMs = 400;
const updatesMax = 100;

export interface Updates {
  /** Something new is there. With `soon`, it goes out as soon as the spacing allows. */
  note(soon?: boolean): void;
  stop(): void;
}

/** `send` is called with true when the page is hiding. */
export function createUpdates(listen: Listen, send: (hiding?: boolean) => void): Updates {
  let sent = 0;
  let sentAt = -Infinity;
  // That nothing happened for a while is news too, once.
  let isNew = true;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let milestones: ReturnType<typeof setTimeout>[] | undefined;

  const flush = (hiding?: boolean) => {
    clearTimeout(waiting);
    waiting = undefined;
    if (!isNew || sent >= updatesMax) return;
    isNew = false;
    sent++;
    sentAt = performance.now();
    send(hiding);
  };
  const soon = () => {
    const waitMs = sentAt + sent * spacingMs - performance.now();
    if (waitMs <= 0) flush();
    else waiting ??= setTimeout(flush, waitMs);
  };
  const note = (isSoon?: boolean) => {
    isNew = true;
    if (isSoon) soon();
  };

  for (const type of ['pointermove', 'pointerdown', 'keydown', 'touchstart', 'wheel', 'paste', 'input'] as const) {
    const act = () => {
      note();
      milestones ??= milestonesMs.map((ms) => setTimeout(soon, ms));
    };
    listen(type, act);
    listen(type, act, true);
  }
  const press = (event: Event) => {
    if (event.type === 'submit' || (event.target as Element).closest?.('button,a,input,[role=button]')) note(true);
  };
  for (const type of ['click', 'submit'] as const) {
    listen(type, press);
    listen(type, press, true);
  }
  listen('visibilitychange' as 'pagehide', () => {
    if (document.hidden) flush(true);
  });
  listen('pagehide', () => flush(true));

  return {
    note,
    stop() {
      clearTimeout(waiting);
      milestones?.forEach(clearTimeout);
    },
  };
}
