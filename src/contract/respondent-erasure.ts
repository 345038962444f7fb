/** What was erased of a respondent. */
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
      records: Count('Records set aside that nobody can read, whoever they are about.'),
      goneBy: Timestamp,
    },
    {
      description:
        'What an erasure cannot read: records that were damaged or could not be taken. They are deleted by age, and so are files that a process keeps next to its spool.',
    },
  ),
});
export type ErasureReply = Static<typeof ErasureReply>;
