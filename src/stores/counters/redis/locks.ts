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
    const own: Hold = { ended: null, end: () => undefined };
    const before: Promise<void>[] = [];
    for (const name of names) {
      const other = last.get(name);
      if (other === own) continue;
      if (other !== undefined) before.push((other.ended ??= new Promise((resolve) => (other.end = resolve))));
      last.set(name, own);
    }
    const release = (): void => {
      for (const name of names) if (last.get(name) === own) last.delete(name);
      own.end();
    };
    return before.length === 0 ? release : Promise.all(before).then(() => release);
  };
  /** Works while it holds the names. */
  const hold = async <T>(names: readonly string[], work: () => Promise<T>): Promise<T> => {
    const release = await take(names);
    try {
      return await work();
    } finally {
      release();
    }
  };
  return { take, hold };
}
