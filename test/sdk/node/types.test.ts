/** The summary of posted outcomes is the client’s own: it adds up what several requests answered. */
import t from 'tap';
import type { EventsSummary } from '../../../sdk/node/api.js';
import { OutcomeReply } from '../../../src/contract/outcome.js';

t.test('no field of an answer to outcomes is missing in the summary', (t) => {
  const summary: Record<keyof EventsSummary | 'sessions', true> = {
    received: true,
    accepted: true,
    corrected: true,
    duplicates: true,
    rejected: true,
    unmatched: true,
    issues: true,
    sessions: true,
  };
  t.strictSame(
    Object.keys(OutcomeReply.properties).filter((name) => !(name in summary)),
    [],
    'sessions of several requests may be the same: they are not added up',
  );
  t.end();
});
