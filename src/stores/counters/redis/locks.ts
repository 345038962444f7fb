/** Lets calls wait for others of this process that hold one of the same names, in their order. */
export function createLocks() {
  const last = new Map<string, Promise<void>>();
  /** Holds the names as soon as all of them are free, until the returned function is called. */
  const take = async (names: readonly string[]): Promise<() => void> => {
    const before = names.flatMap((name) => last.get(name) ?? []);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    for (const name of names) last.set(name, held);
    if (before.length > 0) await Promise.all(before);
    return () => {
      for (const name of names) if (last.get(name) === held) last.delete(name);
      release();
    };
  };
  return { take };
}
