/**
 * A cache that holds its last entries and forgets the least recently used. It takes memory for what it holds: the library's own `max` takes it at once
 * for the most that it may ever hold, which for all caches of a service together was ten megabytes, and a twentieth of a second of its start.
 */
import { LRUCache } from 'lru-cache';

export const createBoundedCache = <V extends object | number | boolean>(entriesMax: number): LRUCache<string, V> =>
  new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 });
