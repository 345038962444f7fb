/**
 * Whether something listens on the debugging protocol: then an error given to the console is
 * described to the listener, which reads its name once more and formats its stack. Open developer
 * tools do the same, so this is a hint and no proof. The console is a fresh frame's, because pages
 * wrap theirs. Engines other than V8 have no such trace: null.
 */
import { withFrame } from '../frame.js';
import type { Reader } from '../types.js';

export const readDebugging: Reader<'auto'> = () =>
  withFrame((fresh) => {
    let stacks = 0;
    let names = 0;
    const errors = fresh.Error as ErrorConstructor & { prepareStackTrace?: unknown };
    const { debug } = (fresh as unknown as { console: Console }).console;
    const named = new errors();
    Object.defineProperty(named, 'name', { get: () => (names++, '') });
    // The first reading is the console's own. With a formatter set, there would be no second one.
    debug(named);
    errors.prepareStackTrace = () => (stacks++, '');
    debug(new errors());
    return 'stackTraceLimit' in errors
      ? { debugStack: stacks > 0, debugGetter: names > 1 }
      : { debugStack: null, debugGetter: null };
  });
