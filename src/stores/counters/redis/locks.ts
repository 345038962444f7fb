/** Lets calls wait for others of this process that hold one of the same names, in their order. */

interface Hold {
  /** Made once somebody waits. */
  ended: Promise<void> | null;
  end: () => void;
}

export function createLocks() {
  const last = new Map<string, Hold>();
  /** Holds the names as soon as all of them are free, until the returned function is called: at once if nobody holds any. */
  const take = (names: readonly string[]): (() => void) | Promise<() => void> => {
    const hold: Hold = { ended: null, end: () => undefined };
    const before: Promise<void>[] = [];
    for (const name of names) {
      const other = last.get(name);
      if (other === hold) continue;
      if (other !== undefined) before.push((other.ended ??= new Promise((resolve) => (other.end = resolve))));
      last.set(name, hold);
    }
    const release = (): void => {
      for (const name of names) if (last.get(name) === hold) last.delete(name);
      hold.end();
    };
    return before.length === 0 ? release : Promise.all(before).then(() => release);
  };
  return { take };
}
