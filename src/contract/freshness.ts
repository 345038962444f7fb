/** How late recorded data is: what is accepted is durable at once and reaches lists and reports a moment later. */
import { Type, type Static } from 'typebox';
import { Nullable, Timestamp } from './common.js';
import { ListQuery } from './paging.js';

export const feeds = ['scores', 'outcomes', 'verifications', 'webhooks'] as const;
export type Feed = (typeof feeds)[number];

export const FreshnessQuery = ListQuery({});

const CompleteUntil = (what: string) =>
  Nullable(Type.String({ ...Timestamp, description: `${what} null: unknown since this instance started.` }));

export const FreshnessReply = Type.Object({
  generatedAt: Timestamp,
  completeUntil: Type.Object(
    {
      scores: CompleteUntil('Every score before this time is in lists of sessions and in reports.'),
      outcomes: CompleteUntil('Every outcome before this time is in the history of later scores.'),
      verifications: CompleteUntil('Every verification before this time is in the analytics.'),
      webhooks: CompleteUntil('Every event before this time has its deliveries.'),
    } satisfies Record<Feed, unknown>,
    { description: 'Normally a few seconds ago.' },
  ),
});
export type FreshnessReply = Static<typeof FreshnessReply>;
