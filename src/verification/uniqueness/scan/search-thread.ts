/**
 * Entry of a search thread. It answers each request in turn; whatever it throws ends the thread, and the searcher starts another.
 */
import { parentPort } from 'node:worker_threads';
import { search, type SearchSpace, threadIsReady, type SearchMessage, type ThreadMessage } from './search.js';

const spaces = new Map<number, SearchSpace>();

parentPort?.on('message', (message: SearchMessage) => {
  if (message.kind === 'open') {
    spaces.set(message.gallery, message.space);
    return;
  }
  if (message.kind === 'close') {
    spaces.delete(message.gallery);
    return;
  }
  const space = spaces.get(message.gallery);
  if (space === undefined) throw new Error(`the search thread knows no gallery ${message.gallery}`);
  parentPort?.postMessage({ id: message.id, ...search(space, message) } satisfies ThreadMessage);
});
parentPort?.postMessage(threadIsReady satisfies ThreadMessage);
