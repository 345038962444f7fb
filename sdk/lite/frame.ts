/**
 * A hidden, empty frame, whose window no script of the page has touched yet. It is removed again
 * whatever happens.
 */

import { trust } from './trusted.js';

/** A fresh window; the page's own globals have the same names. */
export type FrameWindow = Window & typeof globalThis;

/**
 * Opens a frame, hands its window over (its first, blank document), and removes the frame when
 * what `use` returns has settled. `use` also gets a promise of the window after it loaded `srcdoc`.
 */
export async function withFrame<T>(
  use: (fresh: FrameWindow, loaded: Promise<FrameWindow>) => T | Promise<T>,
): Promise<T> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  try {
    frame.srcdoc = trust('createHTML', ' ');
  } catch {
    // Refused where the page enforces trusted types without the policy; a blank frame serves almost as well.
  }
  const loaded = new Promise<FrameWindow>((resolve) => {
    frame.onload = () => resolve(frame.contentWindow as FrameWindow);
  });
  document.documentElement.append(frame);
  try {
    return await use(frame.contentWindow as FrameWindow, loaded);
  } finally {
    frame.remove();
  }
}
