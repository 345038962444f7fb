/** Disputes: a buyer rejects completes of a study after the fact, and withdraws that. */
import { Type, type Static } from 'typebox';
import { CallerId, Count, Nullable, strict, StringEnum } from './common.js';
import { reasonClasses } from './outcome.js';

export const disputeRowsMax = 10_000;
export const disputeNoteMax = 500;

const ReservationId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'sub of the vh_token, and sessionId of respondents.',
});

/** One rejected complete: its place, the rid of its respondent, or both. */
export const DisputeRow = Type.Object(
  {
    place: Type.Optional(ReservationId),
    rid: Type.Optional(CallerId('The respondent as the supplier sent it. With place, both must belong together.')),
    sourceId: Type.Optional(CallerId('The supplier’s src: needed if two suppliers sent the same rid.')),
    reason: StringEnum(reasonClasses, {
      description: 'Only fraud raises later risk; quality, fit and unknown take back the credit of the complete.',
    }),
    note: Type.Optional(
      Type.String({ maxLength: disputeNoteMax, description: 'Shown as reversalNote of the respondent.' }),
    ),
  },
  strict,
);
export type DisputeRow = Static<typeof DisputeRow>;

/** The body of a dispute; as text/csv a table with the same names in its header. */
export const Disputes = Type.Object(
  { rows: Type.Array(DisputeRow, { minItems: 1, maxItems: disputeRowsMax }) },
  strict,
);
export type Disputes = Static<typeof Disputes>;

export const disputeResults = ['reversed', 'already', 'unknown', 'ambiguous', 'not_completed'] as const;
export type DisputeResult = (typeof disputeResults)[number];

/** The results of the rows, in the order of the request. */
export const DisputeReply = Type.Object({
  received: Count('Rows of the request.'),
  reversed: Count('Completes that this request rejected.'),
  already: Count('Rows of completes that were rejected before; the earlier reason stands.'),
  unknown: Count('Rows that name no respondent of the study, or a place and a rid that do not belong together.'),
  ambiguous: Count(
    'Rows that may mean several respondents: the rid came from several suppliers, or a cell of a CSV is one rid as it stands and another one as an export. Send sourceId or place.',
  ),
  notCompleted: Count('Rows of respondents without a complete; nothing changed.'),
  rows: Type.Array(
    Type.Object({
      rid: Nullable(Type.String()),
      place: Nullable({
        ...Type.String(),
        description: 'Place that was sent or found; null: none in the study, or several.',
      }),
      result: StringEnum(disputeResults),
    }),
  ),
});
export type DisputeReply = Static<typeof DisputeReply>;
