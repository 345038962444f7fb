/**
 * The probe as a module. Importing it starts nothing and needs no page.
 */
import type { Lite } from './api.js';
import { createLite } from './lite.js';
import { shareQuestions } from './shared-questions.js';

export type * from './api.js';

const lite = createLite();

/** The probe of this page. Bundled, it knows no service: give `run` an endpoint. */
export const VHLite: Lite = {
  ...lite,
  startQuestionObserver(target, options) {
    shareQuestions(lite.snapshots);
    return lite.startQuestionObserver(target, options);
  },
};
