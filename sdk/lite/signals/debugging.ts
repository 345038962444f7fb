/**
 * Whether something listens on the debugging protocol: then an error given to the console is
 * described to the listener, which formats its stack and reads its name. Open developer tools do
 * the same, so this is a hint and no proof. The console is a fresh frame's, because pages wrap theirs.
 */
import { withFrame } from '../frame.js';
import type { Reader } from '../types.js';

export const readDebugging: Reader<'auto'> = () =>
  withFrame((fresh) => {
    let stacks = 0;
    let names = 0;
    const errors = fresh.Error as ErrorConstructor & { prepareStackTrace?: unknown };
    const error = new errors();
    Object.defineProperty(error, 'name', { get: () => (names++, '') });
    errors.prepareStackTrace = () => (stacks++, '');
    (fresh as unknown as { console: Console }).console.debug(error);
    return { debugStack: stacks > 0, debugGetter: names > 1 };
  });
