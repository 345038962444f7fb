/** Lists of references, each with a time or another stamp of six bytes, the latest first. Pure. */
import { refBytes, timeBytes, type Bytes } from './bytes.js';

export const entryBytes = refBytes + timeBytes;

export const stampAt = (list: Bytes, at: number): Bytes => list.slice(at + refBytes, at + entryBytes);

/** The position of its entry; -1 if there is none. */
export function findEntry(list: Bytes, ref: Bytes): number {
  for (let at = list.indexOf(ref); at !== -1; at = list.indexOf(ref, at + 1)) if (at % entryBytes === 0) return at;
  return -1;
}

const removeEntry = (list: Bytes, at: number): Bytes => list.slice(0, at) + list.slice(at + entryBytes);

function insertEntry(list: Bytes, ref: Bytes, stamp: Bytes): Bytes {
  let at = 0;
  while (at < list.length && stampAt(list, at) > stamp) at += entryBytes;
  return list.slice(0, at) + ref + stamp + list.slice(at);
}

/** With the reference as seen at the stamp; a later one stands. */
export function noteEntry(list: Bytes, ref: Bytes, stamp: Bytes): Bytes {
  const at = findEntry(list, ref);
  if (at === -1) return insertEntry(list, ref, stamp);
  return stampAt(list, at) >= stamp ? list : insertEntry(removeEntry(list, at), ref, stamp);
}

/** Without those that are stamped at or before. */
export function dropEntries(list: Bytes, oldest: Bytes): Bytes {
  let length = list.length;
  while (length > 0 && stampAt(list, length - entryBytes) <= oldest) length -= entryBytes;
  return length === list.length ? list : list.slice(0, length);
}

/** With the reference noted in its place; the same list if it was noted after `since`, or is older than all of a full list. */
export function addSighting(list: Bytes, ref: Bytes, stamp: Bytes, since: Bytes, max: number): Bytes {
  if (list === '') return ref + stamp;
  const at = findEntry(list, ref);
  if (at !== -1 && stampAt(list, at) > since) return list;
  const joined = insertEntry(at === -1 ? list : removeEntry(list, at), ref, stamp);
  return joined.length > max * entryBytes ? joined.slice(0, max * entryBytes) : joined;
}
