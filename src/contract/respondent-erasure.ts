/**
 * What was erased of a respondent.
 */
import { Type, type Static } from 'typebox';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ErasureReply = Type.Object({
  erased: Type.Object({
    sessions: count('Verification sessions.'),
    fingerprints: count('Face templates and device marks.'),
    receipts: count('Receipts of server-side scores.'),
    events: count('Outcome events, and webhook payloads.'),
  }),
});
export type ErasureReply = Static<typeof ErasureReply>;
