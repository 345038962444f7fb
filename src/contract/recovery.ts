/** Counter recovery of a project: whether what was counted is there, and how far its rebuild has come. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from './common.js';
import { ListQuery } from './paging.js';
import { ProjectName } from './thresholds.js';

export const counterStates = ['complete', 'rebuilding', 'unchecked'] as const;

export const CounterRecoveryQuery = ListQuery({ projectId: Type.Optional(ProjectName) });

export const CounterRecoveryReply = Type.Object({
  generatedAt: Timestamp,
  state: StringEnum(counterStates, {
    description:
      'complete: nothing is missing. rebuilding: sessions are counted again, the newest first. unchecked: no score was counted for 30 days, or a rebuild has just begun.',
  }),
  restoredSince: Nullable(
    Type.String({ ...Timestamp, description: 'Sessions since this time are counted again. null unless rebuilding.' }),
  ),
  restoresSince: Nullable(
    Type.String({ ...Timestamp, description: 'The rebuild ends at this time. null unless rebuilding.' }),
  ),
});
export type CounterRecoveryReply = Static<typeof CounterRecoveryReply>;
