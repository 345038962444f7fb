/** A rejection that came after the verdict and stands, next to the verdict. Nothing if there is none. */
import type { SessionRejection } from '../../src/contract/session-trail.js';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import { Badge } from './badge.js';
import { readable } from './words.js';

export interface Rejected {
  /** null: the service does not know. */
  readonly by: 'buyer' | 'survey' | null;
  readonly reason: string | null;
}

/** The rejection of a study’s complete, while it is not withdrawn. */
export function rejectionOfPlace({ completion, reversedBy, refusedFor }: RespondentReply): Rejected | null {
  if (completion !== 'reversed') return null;
  const sources = { dispute: 'buyer', return: 'survey', outcome: null } as const;
  return { by: reversedBy === null ? null : sources[reversedBy], reason: refusedFor };
}

/** The rejection by outcome events. */
export const rejectionOfOutcome = ({ type, reasonClass }: SessionRejection): Rejected => ({
  by: type === 'quality_term' ? 'survey' : 'buyer',
  reason: reasonClass,
});

export const Rejection = ({ of }: { of: Rejected | null }) =>
  of === null ? null : (
    <Badge
      value="rejected"
      tone="bad"
      text={`Rejected later${of.by === null ? '' : ` by the ${of.by}`}: ${readable(of.reason ?? 'unknown').toLowerCase()}`}
    />
  );
