/**
 * The SDK as a script element: sets the hardened globals `VH` and `VerifyHuman`, and mounts the drop-in elements of the page. Without a page it
 * does nothing.
 */
import type { VerifyHumanGlobal, VHGlobal } from './widget/api.js';
import { cameraFile } from './widget/csp.js';
import { createDropIn } from './widget/dropin.js';
import { hardenGlobals } from './widget/guard.js';
import { createLocalWidget } from './widget/local-widget.js';
import type { Camera } from './widget/ports.js';
import { createSdk } from './widget/sdk.js';
import type { LoadTexts } from './widget/ui/locale.js';
import type { LoadedTexts } from './widget/ui/texts/en.js';
import { createView } from './widget/ui/view.js';
import { version } from './widget/version.js';

export { CameraAccessError, IntegrityError, VerifyError } from './widget/errors.js';

/** Put in by the build: SDK_API_ROOT. */
declare const builtInRoot: string;

/** Loaded as a module, a script is not the current one. */
const findScript = (): HTMLScriptElement | null =>
  (document.currentScript as HTMLScriptElement | null) ?? document.querySelector('script[src*="verifyhuman.umd"]');
const scriptUrl = typeof document === 'undefined' ? undefined : findScript()?.src || undefined;
const urlOf = (file: string) => new URL(file, scriptUrl ?? document.baseURI).href;
const loadTexts: LoadTexts = async (tag) => ((await import(urlOf(`texts/${tag}.js`))) as { texts: LoadedTexts }).texts;

const sdk = createSdk({
  scriptUrl,
  builtInRoot,
  createView,
  loadTexts,
  loadCamera: async () => ((await import(urlOf(cameraFile))) as { camera: Camera }).camera,
});

export const VH: VHGlobal = {
  version,
  mount: (target, options) => sdk.mount(target, options),
  session: sdk.session,
  verifyToken: sdk.verifyToken,
};

export const VerifyHuman: VerifyHumanGlobal = {
  init: createDropIn(sdk),
  createVerifyWidget: (config) => createLocalWidget({ createView, loadTexts }, config),
};

if (typeof document !== 'undefined' && hardenGlobals(globalThis, { VH, VerifyHuman }, document)) {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', VerifyHuman.init);
  else VerifyHuman.init();
}
