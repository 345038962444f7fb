/**
 * Runs the signals and gathers what they find. A signal that throws leaves its fields out; one that
 * does not answer in time adds them later. Long work is cut, so that the page stays responsive.
 */
import { readers, watchers } from './signals.js';
import type { Groups, Listen } from './types.js';

/** Work in one go before the page gets its turn, milliseconds. */
const sliceMs = 8;

/** Puts a signal's findings into its group; several signals share one. */
function merge(groups: Groups, name: keyof Groups, found: object): void {
  if (Array.isArray(found)) groups.lies = [...(groups.lies ?? []), ...(found as string[])].slice(0, 40);
  else Object.assign(((groups as Record<string, object>)[name] ??= {}), found);
}

/**
 * Starts every signal that is read once. The promise settles when all have answered or failed. `gaps`
 * names those that have not answered, to distinguish "no contradiction" from "not compared".
 */
export async function collectOnce(groups: Groups, without: readonly string[], gaps: Set<string>): Promise<void> {
  const pending: Promise<void>[] = [];
  let since = performance.now();
  Object.keys(readers).forEach((name) => gaps.add(name));
  for (const [name, [group, read]] of Object.entries(readers)) {
    if (without.includes(name)) continue;
    // Graphics alone take longer than a slice.
    if (performance.now() - since > sliceMs || name === 'graphics') {
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    pending.push(
      (async () => {
        try {
          merge(groups, group, await read());
          gaps.delete(name);
        } catch {
          // Not measured: the fields stay away.
        }
      })(),
    );
  }
  await Promise.all(pending);
}

/** Starts every signal that accumulates. The result reads them all into the groups. */
export function watchAll(listen: Listen, without: readonly string[]): (groups: Groups) => void {
  const reads: ((groups: Groups) => void)[] = [];
  for (const [name, [group, watch]] of Object.entries(watchers)) {
    if (without.includes(name)) continue;
    const read = watch(listen);
    reads.push((groups) => merge(groups, group, read()));
  }
  return (groups) => reads.forEach((read) => read(groups));
}
