/**
 * The probe as a module. Importing it starts nothing and needs no page.
 */
import type { Lite } from './api.js';
import { createLite } from './lite.js';

export type * from './api.js';

/** The probe of this page. Bundled, it knows no service: give `run` an endpoint. */
export const VHLite: Lite = createLite();
