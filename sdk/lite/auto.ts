/**
 * The automatic run of a script element that carries a project key. Says what came of it in an event
 * on the document, and nothing else: no key, no run, no trace.
 */
import type { Lite } from './api.js';

/** Runs for the element, if it has a key. */
export async function runForScript(lite: Lite, script: HTMLScriptElement | null): Promise<void> {
  const data = script?.dataset;
  const projectKey = data?.['projectKey'] || data?.['probeKey'];
  if (!projectKey) return;
  const detail = await lite.run({
    projectKey,
    sessionId: data['sessionId'],
    endpoint: data['endpoint'],
    timeoutMs: +data['timeoutMs']!,
    without: data['without']?.split(/[\s,]+/),
  });
  document.dispatchEvent(new CustomEvent('vh-lite:probe', { bubbles: true, detail }));
}
