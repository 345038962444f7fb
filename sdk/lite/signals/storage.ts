/**
 * A random token in the browser's storage, which shows that two sessions share a browser. It reveals
 * nothing about the browser itself and ends when the storage is cleared.
 */
import { randomHex } from '../hash.js';
import type { Reader } from '../types.js';

const key = 'vh-lite';

export const readStorage = (() => {
  const found = localStorage.getItem(key);
  const token = /^[\da-f]{32}$/.test(found!) ? found! : randomHex();
  localStorage.setItem(key, token);
  return { token, kept: token === found };
}) satisfies Reader<'ids'>;
