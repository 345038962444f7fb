/**
 * The one SDK of the package: its entries share it, and with it what was seen of projects' configurations.
 */
import { createSdk } from './sdk.js';
import { loadTexts } from './ui/packaged-texts.js';
import { createView } from './ui/view.js';

export const packagedSdk = createSdk({
  scriptUrl: undefined,
  createView,
  loadTexts,
  loadCamera: async () => (await import('#capture')).camera,
});
