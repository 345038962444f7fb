/**
 * The consumer that counts completed verifications. A batch is counted in one transaction together with the ids of its events: killed
 * anywhere, it was counted whole or not at all, and an event that comes again counts once.
 */
import { eventOf } from '../../stores/outbox/outbox.js';
import { columnsOf } from '../../stores/database/columns.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { dropOverAge } from '../../stores/database/retention.js';
import type { Consumer, Log, LogEntry } from '../../stores/log/port.js';
import { cameraCheckMissing } from '../../contract/analytics.js';
import { failureReasons } from '../../contract/failure-reasons.js';
import type { SessionEvent, VerificationEvent, VerificationFacts } from '../../contract/session-event.js';

const batchMax = 500;
const lingerMs = 200;
const keepDays = 45;
/** Ids that are too old to come again are taken out along the way, now and then. */
const trimEveryMs = 60_000;

export function startRollupConsumer(database: Database, log: Log): Promise<Consumer> {
  let trimmedAtMs = -Infinity;
  return log.subscribe({
    topic: 'verifications',
    group: 'analytics',
    batchMax,
    lingerMs,
    tenantOf: (entry) => eventOf(entry).organizationId,
    handle: async (entries) => {
      await countEvents(database, entries);
      if (performance.now() - trimmedAtMs < trimEveryMs) return;
      await dropOverAge(database, { table: 'counted_events', column: 'counted_at', keepDays }, Date.now());
      trimmedAtMs = performance.now();
    },
  });
}

/** Counts the events of a batch that were not counted before. */
async function countEvents(database: Database, entries: readonly LogEntry[]): Promise<void> {
  const events = new Map(
    entries
      .map(eventOf)
      .filter(isCounted)
      .map((event) => [event.eventId, event]),
  );
  if (events.size === 0) return;
  await database.transaction(async (tx) => {
    const fresh = await keepIds(tx, [...events.keys()].sort());
    const { hours, kinds } = addUp(fresh.flatMap((id) => events.get(id) ?? []));
    // They go out together, in this order.
    await Promise.all([...hours.map((row) => addHour(tx, row)), kinds.length > 0 && addKinds(tx, kinds)]);
  });
}

/** The ids that were not there yet. */
async function keepIds(tx: Queryable, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ event_id: string }>(
    'INSERT INTO counted_events (event_id) SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING event_id',
    [ids],
  );
  return rows.map((row) => row.event_id);
}

async function addHour(tx: Queryable, row: HourRow): Promise<void> {
  await tx.query(
    `INSERT INTO verification_hours AS h (organization_id, project_id, is_demo, hour, passed, failed, liveness_sum, liveness_count,
       uniqueness_sum, uniqueness_count, duration_sum, duration_count) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (project_id, is_demo, hour) DO UPDATE SET passed = h.passed + $5, failed = h.failed + $6,
       liveness_sum = h.liveness_sum + $7, liveness_count = h.liveness_count + $8, uniqueness_sum = h.uniqueness_sum + $9,
       uniqueness_count = h.uniqueness_count + $10, duration_sum = h.duration_sum + $11, duration_count = h.duration_count + $12`,
    [
      ...[row.organizationId, row.projectId, row.isDemo, new Date(row.hour), row.passed, row.failed],
      ...[row.livenessSum, row.livenessCount, row.uniquenessSum, row.uniquenessCount],
      ...[row.durationSum, row.durationCount],
    ],
    { recurring: true },
  );
}

async function addKinds(tx: Queryable, rows: readonly KindRow[]): Promise<void> {
  await tx.query(
    `INSERT INTO verification_kinds AS k (organization_id, project_id, is_demo, day, kind, value, count)
     SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::date[], $5::text[], $6::text[], $7::bigint[])
     ON CONFLICT (project_id, is_demo, day, kind, value) DO UPDATE SET count = k.count + excluded.count`,
    columnsOf(rows, 'organizationId', 'projectId', 'isDemo', 'day', 'kind', 'value', 'count'),
  );
}

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
const isCounted = (event: SessionEvent): event is VerificationEvent => event.type === 'verification.completed';

/** The category of a failure hides that nothing was measured, so that this has a name of its own. */
const reasonOf = ({ failure_category: category, failure_reasons: reasons }: VerificationFacts): string | null =>
  category === 'liveness' && reasons.includes(failureReasons.camera_check_needed) ? cameraCheckMissing : category;

/** Rows in a fixed order, so that batches that are written at once wait for each other and never in a circle. */
function addUp(events: readonly VerificationEvent[]): {
  readonly hours: readonly HourRow[];
  readonly kinds: readonly KindRow[];
} {
  const hours = new Map<string, HourRow>();
  const kinds = new Map<string, KindRow>();
  for (const event of events) {
    countHour(hours, event);
    const { data } = event;
    if (data.status === 'fail') countKind(kinds, event, 'failure_reason', reasonOf(data));
    countKind(kinds, event, 'device', data.device);
    countKind(kinds, event, 'browser', data.browser);
  }
  const inOrder = <T>(rows: Map<string, T>): readonly T[] =>
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { hours: inOrder(hours), kinds: inOrder(kinds) };
}

function countHour(
  rows: Map<string, HourRow>,
  { organizationId, projectId, isDemo, occurredAt, data }: VerificationEvent,
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

function countKind(
  rows: Map<string, KindRow>,
  { organizationId, projectId, isDemo, occurredAt }: VerificationEvent,
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
