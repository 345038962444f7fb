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
import { createView } from './widget/ui/view.js';
import { version } from './widget/version.js';

export { CameraAccessError, IntegrityError, VerifyError } from './widget/errors.js';

const script = typeof document === 'undefined' ? null : (document.currentScript as HTMLScriptElement | null);
const scriptUrl = script?.src ? script.src : null;
const cameraUrl = () => new URL(cameraFile, scriptUrl ?? document.baseURI).href;

const sdk = createSdk({
  scriptUrl,
  createView,
  loadCamera: async () => ((await import(cameraUrl())) as { camera: Camera }).camera,
});

export const VH: VHGlobal = {
  version,
  mount: (target, options) => sdk.mount(target, options),
  session: sdk.session,
  verifyToken: sdk.verifyToken,
};

export const VerifyHuman: VerifyHumanGlobal = {
  init: createDropIn(sdk),
  createVerifyWidget: (config) => createLocalWidget(createView, config),
};

if (typeof document !== 'undefined' && hardenGlobals(globalThis, { VH, VerifyHuman }, document)) {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', VerifyHuman.init);
  else VerifyHuman.init();
}
