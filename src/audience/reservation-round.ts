/**
 * Releases expired quota reservations, reports outcomes and writes postbacks that are due, and deletes reservations past their retention. Instances share the
 * work, because a reservation is checked again under its study’s lock.
 */
import type { Database } from '../stores/database/port.js';
import type { Consumer } from '../stores/log/port.js';
import { startRounds } from '../stores/rounds.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { applyEvent, underLock } from './fielding.js';
import type { ReportOutcomes } from './outcome-reporter.js';
import { uncounted } from './study-counts.js';
import { reservationColumns, type QuotaReservation } from './reservation-store.js';
import { findStudy } from './study-store.js';

export interface ReservationRoundDeps {
  readonly database: Database;
  readonly reportOutcomes: ReportOutcomes;
  readonly metrics: Pick<Metrics, 'reservationsReleased'>;
  /** A batch of the postbacks that are due; answers how many places it looked at. */
  readonly writePostbacks: () => Promise<number>;
  readonly logger: Logger;
  /** Days that reservations are kept, counted from the entry. */
  readonly retentionDays: number;
}

const batchMax = 200;
/** Due reservations among which organizations take turns. */
const lookedAtMax = 5_000;
const everyMs = 5_000;
/** The call that closes a reservation reports its outcome. The round reports what is still due after this time. */
const unreportedSeconds = 10;
/** Each failure costs the deadline of a statement: with so many studies an organization waits for the next round, and with so many organizations the store is at fault. */
const failedStudiesMax = 2;
const failedOrganizationsMax = 5;

/** By study. */
export type ReleaseFailures = Map<string, { readonly organizationId: string; readonly error: unknown }>;

function organizationsIn(failures: ReleaseFailures): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { organizationId } of failures.values()) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  return counts;
}

const isStoreAtFault = (failures: ReleaseFailures): boolean => organizationsIn(failures).size >= failedOrganizationsMax;
const hasFailed = (failures: ReleaseFailures, { studyId, organizationId }: QuotaReservation): boolean =>
  failures.has(studyId) || (organizationsIn(failures).get(organizationId) ?? 0) >= failedStudiesMax;

const isDue = "state IN ('verifying', 'surveying') AND due_at <= now()";

/** Places that a condition names, oldest first, among which organizations take turns. */
const inTurns = (at: 'due_at' | 'returned_at', condition: string, most: string): string =>
  `SELECT ${reservationColumns} FROM (
     SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY ${at}) AS turn FROM (
       SELECT * FROM study_places WHERE ${condition} ORDER BY ${at} LIMIT ${lookedAtMax}) AS oldest) AS due
    ORDER BY turn, ${at} LIMIT ${most}`;

/**
 * One batch, in which organizations take turns; returns how many were released. Adds studies that failed to `failures`, whose reservations are
 * skipped.
 */
export async function releaseReservations(
  { database }: Pick<ReservationRoundDeps, 'database'>,
  failures: ReleaseFailures = new Map(),
  most = batchMax,
): Promise<number> {
  const givenUp = [...organizationsIn(failures)].flatMap(([id, studies]) => (studies < failedStudiesMax ? [] : [id]));
  const due = await database.query<QuotaReservation & Record<string, unknown>>(
    inTurns('due_at', `${isDue} AND study_id <> ALL($1::text[]) AND organization_id <> ALL($2::text[])`, '$3'),
    [[...failures.keys()], givenUp, most],
  );
  let released = 0;
  for (const reservation of due) {
    if (isStoreAtFault(failures)) break;
    if (hasFailed(failures, reservation)) continue;
    const { studyId, organizationId } = reservation;
    released += await release(database, reservation).catch((error: unknown) => {
      failures.set(studyId, { organizationId, error });
      return 0;
    });
  }
  return released;
}

const release = (database: Database, reservation: QuotaReservation): Promise<number> =>
  underLock(database, reservation, async (tx, study, now) => {
    const [still] = await tx.query(`SELECT 1 FROM study_places WHERE place_id = $1 AND ${isDue}`, [
      reservation.reservationId,
    ]);
    if (still === undefined) return 0;
    await applyEvent(tx, study, now, 'expire');
    return 1;
  });

/** Reports outcomes that are still due, those of a study together. */
export async function reportUnreported({
  database,
  reportOutcomes,
}: Pick<ReservationRoundDeps, 'database' | 'reportOutcomes'>): Promise<void> {
  const unreported = await database.query<QuotaReservation & Record<string, unknown>>(
    inTurns('returned_at', `outcome_due AND returned_at <= now() - ${unreportedSeconds} * interval '1 second'`, '$1'),
    [batchMax],
  );
  for (const studyId of new Set(unreported.map((place) => place.studyId))) {
    const study = await findStudy(database, studyId);
    const places = unreported.filter((place) => place.studyId === studyId);
    if (study !== null) await reportOutcomes(study, places);
  }
}

/** Locks each study, under which its reservations and the counts of who took them change; one that is changing waits for the next round. */
export async function deleteOldReservations({
  database,
  retentionDays,
}: Pick<ReservationRoundDeps, 'database' | 'retentionDays'>): Promise<void> {
  await database.query(
    `WITH gone AS (
       SELECT p.* FROM study_places p JOIN studies USING (study_id)
        WHERE entered_at < now() - $1 * interval '1 day' AND state NOT IN ('verifying', 'surveying')
        ORDER BY entered_at LIMIT ${batchMax} FOR UPDATE SKIP LOCKED), ${uncounted}
     DELETE FROM study_places WHERE place_id IN (SELECT place_id FROM gone)`,
    [retentionDays],
  );
}

/** Starts the rounds; the answer stops them and waits for the one under way. */
export function startReservationRounds(deps: ReservationRoundDeps): Consumer {
  let lastAt = performance.now();
  const work = async (isStopping: () => boolean): Promise<void> => {
    const failures: ReleaseFailures = new Map();
    for (let isMore = true; isMore && !isStopping();) {
      const failed = failures.size;
      const released = isStoreAtFault(failures) ? 0 : await releaseReservations(deps, failures);
      deps.metrics.reservationsReleased.inc(released);
      // Postbacks of others do not wait until all of a flood is released.
      const written = await deps.writePostbacks();
      isMore = released > 0 || failures.size > failed || written > 0;
    }
    await reportUnreported(deps);
    await deleteOldReservations(deps);
    for (const { error } of failures.values()) throw error;
    lastAt = performance.now();
  };
  const onError = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'releasing quota reservations failed; the next round retries');
  const rounds = startRounds({ everyMs, firstMs: 0, work, onError });
  return { tickAgeMs: () => performance.now() - lastAt, stop: () => rounds.stop() };
}
