/** Whether a fresh frame, blank and loaded, sees the same browser as the page does. */
import { compareFacts, readFacts } from '../facts.js';
import { withFrame } from '../frame.js';
import type { Reader } from '../types.js';

export const readFrames: Reader<'lies'> = () =>
  withFrame(async (fresh, loaded) => {
    const compare = (scope: typeof globalThis) => [
      ...compareFacts('frame', readFacts(window, false), readFacts(scope, false)),
      ...(scope.navigator.webdriver === navigator.webdriver ? [] : ['frame.webdriver']),
      ...(scope.navigator.plugins.length === navigator.plugins.length ? [] : ['frame.plugins']),
    ];
    return [...new Set([...compare(fresh), ...compare(await loaded)])];
  });
