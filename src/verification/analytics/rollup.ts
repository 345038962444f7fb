/**
 * Completed verifications added up by hour, and by day and kind. Pure: one pass over a batch of events. Sessions of test mode are separate.
 */
import type { SessionEvent, VerificationFacts } from '../../contract/session-event.js';

export type CompletedEvent = Extract<SessionEvent, { data: VerificationFacts }>;

export interface HourRow {
  readonly organizationId: string;
  readonly projectId: string;
  readonly isDemo: boolean;
  readonly hour: string;
  passed: number;
  failed: number;
  livenessSum: number;
  livenessCount: number;
  uniquenessSum: number;
  uniquenessCount: number;
  durationSum: number;
  durationCount: number;
}

export interface KindRow {
  readonly organizationId: string;
  readonly projectId: string;
  readonly isDemo: boolean;
  readonly day: string;
  readonly kind: 'failure_reason' | 'device' | 'browser';
  readonly value: string;
  count: number;
}

const hourOf = (time: string): string => `${time.slice(0, 13)}:00:00.000Z`;
const unnamed = 'other';

/** The events that are counted: one for each session. */
export const isCounted = (event: SessionEvent): event is CompletedEvent => event.type === 'verification.completed';

/** Rows in a fixed order, so that batches that are written at once wait for each other and never in a circle. */
export function addUp(events: readonly CompletedEvent[]): {
  readonly hours: readonly HourRow[];
  readonly kinds: readonly KindRow[];
} {
  const hours = new Map<string, HourRow>();
  const kinds = new Map<string, KindRow>();
  for (const event of events) {
    addHour(hours, event);
    const { data } = event;
    if (data.status === 'fail') addKind(kinds, event, 'failure_reason', data.failure_category);
    addKind(kinds, event, 'device', data.device);
    addKind(kinds, event, 'browser', data.browser);
  }
  const inOrder = <T>(rows: Map<string, T>): readonly T[] =>
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { hours: inOrder(hours), kinds: inOrder(kinds) };
}

function addHour(
  rows: Map<string, HourRow>,
  { organizationId, projectId, isDemo, occurredAt, data }: CompletedEvent,
): void {
  const hour = hourOf(occurredAt);
  const name = `${projectId}\n${isDemo}\n${hour}`;
  const row = rows.get(name) ?? {
    ...{ organizationId, projectId, isDemo, hour, passed: 0, failed: 0 },
    ...{ livenessSum: 0, livenessCount: 0, uniquenessSum: 0, uniquenessCount: 0, durationSum: 0, durationCount: 0 },
  };
  row[data.status === 'pass' ? 'passed' : 'failed'] += 1;
  const { liveness, uniqueness } = data.scores;
  row.livenessSum += liveness ?? 0;
  row.livenessCount += Number(liveness !== null);
  row.uniquenessSum += uniqueness ?? 0;
  row.uniquenessCount += Number(uniqueness !== null);
  row.durationSum += data.durationMs ?? 0;
  row.durationCount += Number(data.durationMs !== null);
  rows.set(name, row);
}

function addKind(
  rows: Map<string, KindRow>,
  { organizationId, projectId, isDemo, occurredAt }: CompletedEvent,
  kind: KindRow['kind'],
  named: string | null,
): void {
  const day = occurredAt.slice(0, 10);
  const value = named ?? unnamed;
  const name = `${projectId}\n${isDemo}\n${day}\n${kind}\n${value}`;
  const row = rows.get(name) ?? { organizationId, projectId, isDemo, day, kind, value, count: 0 };
  row.count += 1;
  rows.set(name, row);
}
