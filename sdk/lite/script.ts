/**
 * The probe as a script element: sets the global `VHLite`, and runs by itself where the element
 * carries a project key. A second copy on the page uses the first one's global.
 */
import type { Lite } from './api.js';
import { runForScript } from './auto.js';
import { createLite } from './lite.js';

const scope = globalThis as { VHLite?: Lite };

if (typeof document !== 'undefined') {
  try {
    const script = (document.currentScript ??
      document.querySelector('script[src*="vh-lite"]')) as HTMLScriptElement | null;
    scope.VHLite ??= createLite(script?.src ? new URL(script.src).origin : undefined);
    void runForScript(scope.VHLite, script).catch(() => undefined);
  } catch {
    // Whatever went wrong here, the page goes on.
  }
}
