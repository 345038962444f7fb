/**
 * How long a call waits for what it can do without. Work that takes longer is not stopped: its result is dropped, and its failure concerns
 * nobody.
 */

/** Stands for a result that did not come in time. */
export const late = Symbol('late');
export type Late = typeof late;

export interface Deadline {
  /** Settles as the work does, or with `late` once the time has passed. */
  within<T>(work: Promise<T>): Promise<T | Late>;
  /** The call needs it no more. */
  end(): void;
}

const unlimited: Deadline = { within: (work) => work, end: () => undefined };

/** The time runs from now; null waits for everything. */
export function startDeadline(ms: number | null): Deadline {
  if (ms === null) return unlimited;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<Late>((resolve) => {
    // After a stall of this process timers come before what lies in its sockets: an answer that came in time is read first.
    timer = setTimeout(() => setImmediate(resolve, late), ms);
  });
  return {
    within: (work) => {
      work.catch(() => undefined);
      return Promise.race([work, passed]);
    },
    end: () => clearTimeout(timer),
  };
}
