/**
 * The page's measurements of device and behaviour, with the signals of the lite probe: begun as early as possible, read when the envelope is
 * closed. Nothing of it needs the respondent, and none of it throws.
 */
import { collectOnce, watchAll } from '../lite/collect.js';
import { createListening } from '../lite/listening.js';
import type { Groups, Listen } from '../lite/types.js';

/** How long slow signals are waited for, milliseconds. */
const collectMs = 600;

export interface DeviceWatch {
  /** All that is there by now; waits a little for slow signals the first time. */
  read(): Promise<DeviceFacts>;
  /** Behaviour so far. */
  readBehavior(): Groups['beh'];
  /** Listens until the watch stops. */
  readonly listen: Listen;
  stop(): void;
}

export interface DeviceFacts {
  readonly groups: Groups;
  /** Signals that have not answered. */
  readonly gaps: readonly string[];
}

export function watchDevice(): DeviceWatch {
  const groups: Groups = {};
  const gaps = new Set<string>();
  const listening = createListening();
  const readWatched = watchAll(listening.listen, []);
  let collected: Promise<unknown> | undefined;
  // The page's own work comes first.
  const begin = () => {
    const late = new Promise((resolve) => setTimeout(resolve, collectMs));
    return (collected ??= Promise.race([collectOnce(groups, [], gaps), late]));
  };
  const idle = setTimeout(begin);
  return {
    async read() {
      await begin();
      readWatched(groups);
      return { groups, gaps: [...gaps] };
    },
    readBehavior() {
      readWatched(groups);
      return groups.beh;
    },
    listen: listening.listen,
    stop() {
      clearTimeout(idle);
      listening.stop();
    },
  };
}
