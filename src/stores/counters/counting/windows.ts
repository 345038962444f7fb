/**
 * The latest sessions of a scope (24 h, at most 500) by network prefix. In the store they are a log to which each session adds its time and prefix, so that
 * calls never wait for each other; a log that has grown to twice that is rewritten. A process keeps the latest logs unpacked, and reads on from the last
 * item that it has read: if another one stands there, the log was rewritten. Each item ends with how often that was, so that two alike are seldom equal.
 */
import type { Neighborhood } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import { noRef, packTime, timeAt, timeBytes, tokenBytes, tokenOf, u8, u8At, type Bytes } from './bytes.js';
import { within, type Call } from './call.js';
import { admit } from './guard.js';
import { versionBytes, type Given, type Step, type Wanted } from './step.js';

const itemBytes = timeBytes + tokenBytes + 1;
const keepMs = 4 * bounds.neighborhoodMs;
const windowsMax = 256;

/** A log as far as it was read. */
export class WindowLog {
  /** Bytes that were read. */
  length = 0;
  private readonly times: number[] = [];
  private readonly prefixes: Bytes[] = [];
  private readonly perPrefix = new Map<Bytes, number>();
  firstBytes: Bytes = '';
  lastItem: Bytes = '';
  private start = 0;
  private squares = 0;

  get sessions(): number {
    return this.times.length - this.start;
  }

  get oldestMs(): number | undefined {
    return this.times[this.start];
  }

  get newestMs(): number | undefined {
    return this.sessions === 0 ? undefined : this.times.at(-1);
  }

  /** Reads on. `bytes` stand in the log from `from` on. */
  read(bytes: Bytes, from: number): void {
    for (let at = Math.max(0, this.length - from); at + itemBytes <= bytes.length; at += itemBytes) {
      this.push(timeAt(bytes, at), bytes.slice(at + timeBytes, at + timeBytes + tokenBytes));
      while (this.sessions > bounds.neighborhoodSessionsMax) this.shift();
    }
    if (from + bytes.length >= this.length && bytes.length >= itemBytes) this.lastItem = bytes.slice(-itemBytes);
    if (from === 0) this.firstBytes = bytes.slice(0, versionBytes);
    this.length = Math.max(this.length, from + bytes.length);
  }

  letGo(sinceMs: number): void {
    while ((this.oldestMs ?? sinceMs) < sinceMs) this.shift();
    if (this.start < 2 * bounds.neighborhoodSessionsMax) return;
    this.times.splice(0, this.start);
    this.prefixes.splice(0, this.start);
    this.start = 0;
  }

  /** The figures with one more session, if `add`, which is not kept. */
  figures(nowMs: number, prefix: Bytes, add: boolean) {
    const isFull = add && this.sessions >= bounds.neighborhoodSessionsMax;
    if (add) this.push(nowMs, prefix);
    if (isFull) this.move(this.prefixes[this.start] ?? '', -1);
    const found = {
      sessions: this.sessions - (isFull ? 1 : 0),
      prefixSessions: this.perPrefix.get(prefix) ?? 0,
      prefixSquares: this.squares,
      prefixes: this.perPrefix.size,
      sinceMs: this.times[this.start + (isFull ? 1 : 0)] ?? nowMs,
    };
    if (isFull) this.move(this.prefixes[this.start] ?? '', 1);
    if (add) {
      this.times.pop();
      this.move(this.prefixes.pop() ?? '', -1);
    }
    return found;
  }

  /** How often the log was rewritten. */
  get edition(): number {
    return this.lastItem === '' ? 0 : u8At(this.lastItem, itemBytes - 1);
  }

  /** The items that stay when the log is rewritten. */
  pack(): Bytes {
    let items = '';
    for (let i = this.start; i < this.times.length; i += 1)
      items += packTime(this.times[i] ?? 0) + (this.prefixes[i] ?? '') + u8(this.edition + 1);
    return items;
  }

  private push(atMs: number, prefix: Bytes): void {
    this.times.push(atMs);
    this.prefixes.push(prefix);
    this.move(prefix, 1);
  }

  private shift(): void {
    this.move(this.prefixes[this.start] ?? '', -1);
    this.start += 1;
  }

  private move(prefix: Bytes, change: 1 | -1): void {
    const before = this.perPrefix.get(prefix) ?? 0;
    const after = before + change;
    this.squares += after * after - before * before;
    if (after === 0) this.perPrefix.delete(prefix);
    else this.perPrefix.set(prefix, after);
  }
}

/** The logs that a process has read last. */
export class Windows {
  private readonly logs = new Map<string, WindowLog>();

  find(key: string): WindowLog | undefined {
    return this.logs.get(key);
  }

  keep(key: string, log: WindowLog): void {
    this.logs.delete(key);
    this.logs.set(key, log);
    for (const oldest of this.logs.keys()) {
      if (this.logs.size <= windowsMax) return;
      this.logs.delete(oldest);
    }
  }
}

export interface CountedWindow extends Pick<Neighborhood, 'sessions' | 'prefixSquares' | 'prefixes'> {
  readonly prefixSessions: number;
  /** Since when the neighborhood looks back. */
  readonly sinceMs: number;
}

/** `log` is what the store has, read to its end; null if it has none. */
export function countWindow(call: Call, log: WindowLog | null): CountedWindow {
  const { nowMs, refs } = call;
  const prefix = refs.prefix.slice(0, tokenBytes);
  const add = within(call, bounds.neighborhoodMs) && admit(call.guard, tokenOf('w', refs.scope, noRef));
  const { length } = log ?? { length: 0 };
  if (call.restoring) {
    if (add) insert(call, log, prefix);
    return { sessions: 0, prefixSessions: 0, prefixSquares: 0, prefixes: 0, sinceMs: nowMs };
  }
  const window = log ?? new WindowLog();
  const newestMs = window.newestMs ?? 0;
  window.letGo(nowMs - bounds.neighborhoodMs + 1);
  if (add) addTo(call, { log, length, newestMs }, packTime(nowMs) + prefix);
  return window.figures(nowMs, prefix, add);
}

interface Tail {
  readonly log: WindowLog | null;
  readonly length: number;
  readonly newestMs: number;
}

function addTo(call: Call, { log, length, newestMs }: Tail, item: Bytes): void {
  if (log !== null && length >= 2 * bounds.neighborhoodSessionsMax * itemBytes) {
    replace(call, log, log.pack() + item + u8(log.edition + 1));
    return;
  }
  const isOfAnotherDay = Math.floor(newestMs / bounds.dayMs) !== Math.floor(call.nowMs / bounds.dayMs);
  call.writes.appends.push({
    key: call.keys.window,
    expected: '',
    bytes: item + u8(log?.edition ?? 0),
    keepMs,
    renews: isOfAnotherDay,
  });
}

function replace({ writes, keys }: Call, log: WindowLog, items: Bytes): void {
  // Its length says whether something was added; the first bytes stand for a version.
  const expected = log.firstBytes + String(log.length);
  writes.claims.push({ key: keys.window, expected, value: items, keepMs });
}

/** Puts a restored session where its time belongs among those counted meanwhile; one older than all of a full window is left out. */
function insert(call: Call, log: WindowLog | null, prefix: Bytes): void {
  const { nowMs } = call;
  const item = packTime(nowMs) + prefix;
  if (log === null || (log.newestMs ?? 0) <= nowMs)
    return addTo(call, { log, length: log?.length ?? 0, newestMs: log?.newestMs ?? 0 }, item);
  if (log.sessions >= bounds.neighborhoodSessionsMax && (log.oldestMs ?? 0) > nowMs) return undefined;
  const items = log.pack();
  let at = 0;
  while (at < items.length && timeAt(items, at) <= nowMs) at += itemBytes;
  return replace(call, log, items.slice(0, at) + item + u8(log.edition + 1) + items.slice(at));
}

export interface WindowTail extends NonNullable<Wanted['tail']> {
  readonly known: WindowLog | undefined;
  /** Stands at `from` if the log is still the same. */
  readonly last: Bytes;
}

/** Reads on in the log of the scope’s latest sessions. */
export function tailOf({ keys: { window: key } }: Call, windows: Windows): WindowTail {
  const known = windows.find(key);
  if (known === undefined) return { key, from: 0, known, last: '' };
  return { key, from: known.length - itemBytes, known, last: known.lastItem };
}

/** null if there is none. */
export function* readWindow(
  windows: Windows,
  { key, from, known, last }: WindowTail,
  { tail = '' }: Pick<Given, 'tail'>,
): Step<WindowLog | null> {
  if (known !== undefined && tail.startsWith(last)) {
    known.read(tail, from);
    windows.keep(key, known);
    return known;
  }
  const whole = from === 0 ? tail : ((yield { keys: [], tail: { key, from: 0 } }).tail ?? '');
  if (whole === '') return null;
  const log = new WindowLog();
  log.read(whole, 0);
  windows.keep(key, log);
  return log;
}
