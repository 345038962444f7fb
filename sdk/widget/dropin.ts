/**
 * The HTML drop-in: mounts every element with `data-sitekey` once, and reports results by events on the element and the page's callback.
 * Everything else is done by `mount`.
 */
import type { VHMountResult } from './api.js';
import { VerifyError } from './errors.js';
import { reportFailure, say } from './page-console.js';
import type { Sdk } from './sdk.js';
import { readAttributes } from './settings.js';

/** Looks through the document each time it is called; elements that were mounted before are left alone. */
export function createDropIn({ mount }: Pick<Sdk, 'mount'>): () => void {
  const mounted = new WeakSet<Element>();
  return () => {
    for (const element of document.querySelectorAll('[data-sitekey]')) {
      if (mounted.has(element)) continue;
      mounted.add(element);
      void mountElement(mount, element);
    }
  };
}

async function mountElement(mount: Sdk['mount'], element: Element): Promise<void> {
  const emit = (type: string, detail: unknown) =>
    element.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  let result: VHMountResult;
  try {
    result = await mount(
      element,
      readAttributes((name) => element.getAttribute(name)),
    );
  } catch (error) {
    explainFailure(error);
    emit('vh:error', error);
    return;
  }
  const name = element.getAttribute('data-callback');
  if (name !== null) callPage(name, result);
  emit('vh:verified', result);
}

/** To the page's author, who sees an empty place: what it is that the page, or the project, has to have otherwise. Verdicts are none of it. */
function explainFailure(error: unknown): void {
  if (!(error instanceof VerifyError) || error.context?.scores !== undefined) return;
  // Said already, with the list that does not name the page.
  if (error.code !== 'ORIGIN_NOT_ALLOWED') say(`${error.code}: ${error.message}`);
}

function callPage(name: string, result: VHMountResult): void {
  const callback = (globalThis as unknown as Record<string, unknown>)[name];
  try {
    if (typeof callback !== 'function') throw new TypeError(`the global function ${name} does not exist`);
    (callback as (result: VHMountResult) => unknown)(result);
  } catch (error) {
    reportFailure('data-callback', error);
  }
}
