/**
 * The messages of one page load as one body. Updates tell of behaviour since the load; a page that forges them can add to what its load said of
 * the browser, and take nothing of it back.
 */
import type { ProbeBody } from '../contract/probe.js';

type Automation = NonNullable<ProbeBody['auto']>;

/** What only a load message measures. */
const loadGroups = [
  'ids',
  'gaps',
  'ua',
  'hw',
  'scr',
  'loc',
  'gfx',
  'env',
] as const satisfies readonly (keyof ProbeBody)[];

/** A group that is absent or null in one message is the other’s. */
export function joinMessages(load: ProbeBody, update: ProbeBody): ProbeBody {
  const measured = Object.fromEntries(loadGroups.map((name) => [name, load[name]]));
  const contradictions = { auto: joinAutomation(load.auto, update.auto), lies: joinNames(load.lies, update.lies) };
  return {
    ...load,
    ...defined(update),
    ...defined(measured),
    ...defined(contradictions),
    // Above that of each message of the page that was replaced.
    seq: Math.max(load.seq, update.seq),
  };
}

function joinAutomation(load: Automation | undefined, update: Automation | undefined): Automation | undefined {
  if (load == null || update == null) return load ?? update;
  const flag = (name: 'webdriver' | 'debugStack' | 'debugGetter'): boolean | null =>
    load[name] === true || update[name] === true ? true : (load[name] ?? update[name] ?? null);
  return {
    webdriver: flag('webdriver'),
    globals: joinNames(load.globals, update.globals) ?? null,
    debugStack: flag('debugStack'),
    debugGetter: flag('debugGetter'),
  };
}

/** Undefined where neither message looked, which is not the same as finding none. */
function joinNames(
  load: readonly string[] | null | undefined,
  update: readonly string[] | null | undefined,
): string[] | undefined {
  if (load == null && update == null) return undefined;
  return [...new Set([...(load ?? []), ...(update ?? [])])];
}

type Defined<T> = { [Name in keyof T]?: NonNullable<T[Name]> };

function defined<T extends object>(groups: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(groups).filter(([, group]) => group !== null && group !== undefined),
  ) as Defined<T>;
}
