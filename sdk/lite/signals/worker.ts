/**
 * Whether a worker sees the same browser as the page does: changes are often made to the page
 * alone. If the page's policy forbids blob workers, nothing is reported.
 */
import { compareFacts, readFacts, readPageFacts } from '../facts.js';
import { trust } from '../trusted.js';
import type { Reader } from '../types.js';

export const readWorker: Reader<'lies'> = () =>
  new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([`postMessage((${String(readFacts)})(self,true))`]));
    const worker = new Worker(trust('createScriptURL', url));
    const end = () => {
      worker.terminate();
      URL.revokeObjectURL(url);
    };
    worker.onmessage = (event) => {
      end();
      resolve(compareFacts('worker', readPageFacts(), event.data as Record<string, string>));
    };
    worker.onerror = (event) => {
      end();
      event.preventDefault();
      reject(new Error());
    };
  });
