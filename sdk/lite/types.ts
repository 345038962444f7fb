/**
 * The types that the probe's files share. Those of the message derive from the service's contract,
 * so a field that the service does not know does not compile here.
 */
import type { ProbeBody } from '../../src/contract/probe.js';

export type { ProbeBody };

/** The groups of the message that signals fill. */
export type GroupName = 'ids' | 'auto' | 'lies' | 'ua' | 'hw' | 'scr' | 'loc' | 'gfx' | 'env' | 'page' | 'beh';
export type Group<Name extends GroupName> = NonNullable<ProbeBody[Name]>;
export type Groups = { [Name in GroupName]?: Group<Name> };

/** A signal read once: its findings, or a promise of them. An exception counts as "not measured". */
export type Reader<Name extends GroupName> = () => Group<Name> | Promise<Group<Name>>;

/**
 * Adds a listener at the window, before the page's own. It sees the events that the browser made, or,
 * where `untrusted` is true, only those that a script made.
 */
export type Listen = <Type extends keyof WindowEventMap>(
  type: Type,
  handle: (event: WindowEventMap[Type]) => void,
  untrusted?: boolean,
) => void;

/** A signal that accumulates: it listens, and hands back a function that reads what there is by now. */
export type Watcher<Name extends GroupName> = (listen: Listen) => () => Group<Name>;

/** Named signals, the name being the file's, each with the group that it fills. */
export type Readers = Record<string, { [Name in GroupName]: readonly [Name, Reader<Name>] }[GroupName]>;
export type Watchers = Record<string, { [Name in GroupName]: readonly [Name, Watcher<Name>] }[GroupName]>;
