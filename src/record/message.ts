/** A message of the probe as it waits for its score, and as the record of the score keeps it. */
import type { ProbeFacts } from '../contract/facts.js';
import { packStart, readParts } from './codec.js';
import { messageShape } from './shapes.js';
import type { ProbeBody } from '../contract/probe.js';

export const packMessage = (message: ProbeFacts): Uint8Array => packStart(messageShape.encode(message));

export const openMessage = (packed: Uint8Array): ProbeFacts => messageShape.decode(readParts(packed)[0]) as ProbeFacts;

type Automation = NonNullable<ProbeBody['auto']>;

/** Only a load message measures these groups. */
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

/** One body of a page’s messages: an update adds behavior and replaces nothing. A group that one message lacks is the other’s. */
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
