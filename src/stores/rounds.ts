/** Work that repeats: never twice at a time. A round that fails is reported, and the next one comes all the same. */
export interface Rounds {
  /** Starts a round now, unless one is under way. */
  run(): void;
  /** Starts no further round and resolves when the one in hand has ended. */
  stop(): Promise<void>;
}

export interface RoundsOptions {
  readonly everyMs: number;
  /** Time until an additional first round, at once if 0; absent, the first comes after `everyMs`. */
  readonly firstMs?: number;
  /** A long one checks whether it is to stop. */
  readonly work: (isStopping: () => boolean) => Promise<unknown>;
  readonly onError?: (error: unknown) => void;
}

export function startRounds({ everyMs, firstMs, work, onError = () => undefined }: RoundsOptions): Rounds {
  let running: Promise<void> | null = null;
  let isStopping = false;
  const run = (): void => {
    running ??= work(() => isStopping)
      .then(() => undefined, onError)
      .finally(() => (running = null));
  };
  const timers = [setInterval(run, everyMs)];
  if (firstMs === 0) run();
  else if (firstMs !== undefined) timers.push(setTimeout(run, firstMs));
  for (const timer of timers) timer.unref();
  return {
    run,
    stop: async () => {
      isStopping = true;
      timers.forEach(clearInterval);
      await running;
    },
  };
}
