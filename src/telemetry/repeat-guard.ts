/**
 * Writes a warning once, then once a minute how often it came again: a store that is away for a day must not fill the disk. Lines are the
 * same if level, words and kind of error are. The summary is of the last of them.
 */
const summaryEveryMs = 60_000;
/** Most kinds of lines tracked at once. Beyond it the oldest is summed up and starts over, which costs a line. */
const keysMax = 1_000;

interface LineRepeats {
  repeated: number;
  summarize: (repeated: number) => void;
}

/** Writes what was held back, if anything was. */
function sumUp(one: LineRepeats): boolean {
  const { repeated } = one;
  one.repeated = 0;
  if (repeated > 0) one.summarize(repeated);
  return repeated > 0;
}

export function createRepeatGuard(everyMs = summaryEveryMs) {
  const repeatsByKey = new Map<string, LineRepeats>();

  /** A line that did not come again within the minute is news when it comes. */
  function endMinute(key: string, one: LineRepeats): void {
    if (repeatsByKey.get(key) !== one) return;
    if (sumUp(one)) startMinute(key, one);
    else repeatsByKey.delete(key);
  }
  const startMinute = (key: string, one: LineRepeats): void => void setTimeout(endMinute, everyMs, key, one).unref();

  return {
    /** Whether the line is written now. `summarize` writes what was held back, once the minute is over, with how many there were. */
    passes(key: string, summarize: (repeated: number) => void): boolean {
      const known = repeatsByKey.get(key);
      if (known !== undefined) {
        known.repeated += 1;
        known.summarize = summarize;
        return false;
      }
      const [oldest] = repeatsByKey.size >= keysMax ? repeatsByKey : [];
      if (oldest !== undefined) {
        repeatsByKey.delete(oldest[0]);
        sumUp(oldest[1]);
      }
      const one: LineRepeats = { repeated: 0, summarize };
      repeatsByKey.set(key, one);
      startMinute(key, one);
      return true;
    },
  };
}
