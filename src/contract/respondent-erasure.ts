/** Counts of erased data of a respondent. */
import { Type, type Static } from 'typebox';
import { Count, Timestamp } from './common.js';

export const ErasureReply = Type.Object({
  erased: Type.Object({
    sessions: Count('Verification sessions.'),
    fingerprints: Count('Face templates and device marks.'),
    receipts: Count('Receipts of server-side scores.'),
    events: Count('Outcome events, and webhook payloads.'),
  }),
  left: Type.Object(
    {
      sessions: Count('Verification sessions.'),
      receipts: Count('Receipts.'),
      events: Count('Outcome events.'),
      history: Count('Adjudications and days of history, which the consumers take away within seconds.'),
    },
    { description: 'Counted again after the erasure: zeros once the consumers are done. Repeat the call to see it.' },
  ),
  unreadable: Type.Object(
    {
      records: Count('Unreadable records, of any respondent.'),
      goneBy: Timestamp,
    },
    {
      description:
        'Records that an erasure cannot read, because they are damaged or failed. They and files next to the spool are deleted by age.',
    },
  ),
});
export type ErasureReply = Static<typeof ErasureReply>;
