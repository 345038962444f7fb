/** What was erased of a respondent. */
import { Type, type Static } from 'typebox';
import { Timestamp } from './common.js';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ErasureReply = Type.Object({
  erased: Type.Object({
    sessions: count('Verification sessions.'),
    fingerprints: count('Face templates and device marks.'),
    receipts: count('Receipts of server-side scores.'),
    events: count('Outcome events, and webhook payloads.'),
  }),
  left: Type.Object(
    {
      sessions: count('Verification sessions.'),
      receipts: count('Receipts.'),
      events: count('Outcome events.'),
      history: count('Adjudications and days of history, which the consumers take away within seconds.'),
    },
    { description: 'Counted again after the erasure: zeros once the consumers are done. Repeat the call to see it.' },
  ),
  unreadable: Type.Object(
    {
      records: count('Records set aside that nobody can read, whoever they are about.'),
      goneBy: Timestamp,
    },
    {
      description:
        'What an erasure cannot read: records that were damaged or could not be taken. They are deleted by age, and so are files that a process keeps next to its spool.',
    },
  ),
});
export type ErasureReply = Static<typeof ErasureReply>;
