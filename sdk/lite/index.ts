/**
 * The probe as a module. Importing it starts nothing and needs no page.
 */
import { createLite } from './lite.js';

export { createLite, type Lite } from './lite.js';
export type { QuestionHandle, QuestionOptions, QuestionSnapshot, RunOptions, RunResult } from './types.js';

/** The probe of this page. Bundled, it knows no service: give `run` an endpoint. */
export const VHLite = createLite();
