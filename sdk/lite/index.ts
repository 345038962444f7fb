/**
 * The probe as a module. Importing it starts nothing and needs no page.
 */
import type { Lite } from './api.js';
import { createLite } from './lite.js';
import { shareQuestions } from './shared-questions.js';

export type * from './api.js';

const own = import.meta.url;
const origin = /\/sdk\/lite\/v1\//.test(own) ? new URL(own).origin : undefined;
const lite = createLite(origin);

/** The probe of this page. Bundled, it knows no service: give `run` an endpoint. */
export const VHLite: Lite = {
  ...lite,
  async run(options) {
    if (options.endpoint || origin || typeof document === 'undefined') return lite.run(options);
    // oxlint-disable-next-line no-console -- whoever wrote the page has to see it
    console.error('VHLite: endpoint is missing. Pass the API root');
    return { sessionId: options.sessionId ?? '', sent: false, reason: 'endpoint' };
  },
  startQuestionObserver(target, options) {
    shareQuestions(lite.snapshots);
    return lite.startQuestionObserver(target, options);
  },
};
