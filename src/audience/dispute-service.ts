/**
 * Disputes of a study’s owner, and their withdrawal. Rows are worked off in batches, each under one lock of the study, so that respondents pass
 * between. A call that ended early may be sent again: what it had done counts once.
 */
import type { Actor } from '../administration/audit.js';
import type { DisputeReply, DisputeResult, DisputeRow } from '../contract/study-disputes.js';
import type { ReturnReply } from '../contract/study-returns.js';
import { Fault } from '../errors.js';
import { rest } from '../fair-limiter.js';
import { invalid, notFound } from '../kernel/faults.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { dataOwnerOf } from './entry-service.js';
import { underLock } from './fielding.js';
import { findNamed, findReservation, type QuotaReservation } from './reservation-store.js';
import type { ReportOutcomes } from './outcome-reporter.js';
import type { FindRejections } from './place-settlement.js';
import { isReversed, restore, reverseAll, type Rejection } from './reversals.js';
import { note, type StudyCaller } from './study-creation.js';
import { statuses } from './study-rules.js';
import { requireStudy } from './study-service.js';
import { findStudy, type Study } from './study-store.js';

export interface DisputeDeps {
  readonly database: Database;
  readonly reportOutcomes: ReportOutcomes;
  readonly findRejections: FindRejections;
  readonly now: () => number;
}

export type DisputeService = ReturnType<typeof createDisputeService>;

/** Rows under one lock of the study. */
const batchMax = 100;
const issuesMax = 50;

export function createDisputeService(deps: DisputeDeps) {
  const { database, now } = deps;
  const findOwn = (caller: StudyCaller, studyId: string) =>
    inOrganization(database, caller.organizationId, async (tx) =>
      requireStudy(await findStudy(tx, studyId, { owner: caller })),
    );

  return {
    /** Throws NOT_FOUND; VALIDATION_FAILED for rows that name nobody. Every other row is answered by itself. */
    async dispute(
      actor: Actor,
      caller: StudyCaller,
      studyId: string,
      rows: readonly DisputeRow[],
    ): Promise<DisputeReply> {
      const issues = rows.flatMap(({ rid, place }, index) =>
        rid === undefined && place === undefined
          ? [{ path: `/rows/${index}`, message: 'must name a place or a rid.' }]
          : [],
      );
      if (issues.length > 0) throw invalid(issues.slice(0, issuesMax));
      const study = await findOwn(caller, studyId);
      const answers: DisputeReply['rows'][number][] = [];
      for (let from = 0; from < rows.length; from += batchMax) {
        const startedMs = performance.now();
        const { answered, reversed } = await disputeBatch(
          database,
          study,
          rows.slice(from, from + batchMax),
          new Date(now()),
        );
        answers.push(...answered);
        await deps.reportOutcomes(study, reversed);
        if (from + batchMax < rows.length) await rest(startedMs);
      }
      const count = (result: DisputeResult): number => answers.filter((answer) => answer.result === result).length;
      const counts = {
        ...{ received: rows.length, reversed: count('reversed'), already: count('already'), unknown: count('unknown') },
        ...{ ambiguous: count('ambiguous'), notCompleted: count('not_completed') },
      };
      await inOrganization(database, study.organizationId, (tx) => note(tx, actor, study, 'study.reconciled', counts));
      return { ...counts, rows: answers };
    },

    /** Throws NOT_FOUND; CONFLICT for what an outcome event rejects. A place that is not rejected stays as it is. */
    async withdraw(actor: Actor, caller: StudyCaller, studyId: string, placeId: string): Promise<ReturnReply> {
      const study = await findOwn(caller, studyId);
      const found = await findReservation(database, placeId);
      if (found?.studyId !== studyId) throw notFound('place in this study');
      const rejected = (await deps.findRejections(dataOwnerOf(study), [placeId])).get(placeId);
      if (rejected !== undefined && isReversed(found)) throw rejectedByEvent();
      const { place, changed } = await underLock(database, found, async (tx, current, place) => {
        if (!isReversed(place)) return { place, changed: false };
        await note(tx, actor, current, 'study.reconciled', { withdrawn: placeId });
        return { place: await restore(tx, current, place), changed: true };
      });
      if (changed) await deps.reportOutcomes(study, [place]);
      return { place: placeId, status: statuses[place.state], completion: place.completion, changed };
    },
  };
}

const rejectedByEvent = (): Fault =>
  new Fault('CONFLICT', 'An outcome event rejects this complete. Retract the event with POST /lite/events.');

interface Batch {
  readonly answered: DisputeReply['rows'];
  readonly reversed: readonly QuotaReservation[];
}

const disputeBatch = (
  database: Database,
  { studyId, organizationId }: Study,
  rows: readonly DisputeRow[],
  at: Date,
): Promise<Batch> =>
  inOrganization(
    database,
    organizationId,
    async (tx) => {
      const study = requireStudy(await findStudy(tx, studyId, { lock: true }));
      const places = await findNamed(tx, study, {
        ids: rows.flatMap(({ place }) => place ?? []),
        rids: rows.flatMap(({ rid, place }) => (place === undefined && rid !== undefined ? [rid] : [])),
      });
      const answered: Batch['answered'] = [];
      const rejected = new Map<string, { place: QuotaReservation; rejection: Rejection }>();
      for (const { rid = null, place: placeId = null, sourceId, reason, note: text = null } of rows) {
        const named = places.filter(
          (place) =>
            (placeId === null || place.reservationId === placeId) &&
            (rid === null || place.respondentId === rid) &&
            (sourceId === undefined || place.sourceId === sourceId),
        );
        const [place = null] = named;
        const result = resultOf(named, rejected);
        if (place !== null && result === 'reversed')
          rejected.set(place.reservationId, { place, rejection: { by: 'dispute', reason, note: text, at } });
        const found = result === 'ambiguous' ? null : place;
        answered.push({ rid: found?.respondentId ?? rid, place: found?.reservationId ?? placeId, result });
      }
      return { answered, reversed: await reverseAll(tx, study, [...rejected.values()]) };
    },
    { line: studyId },
  );

/** The result of a row that names these places. */
function resultOf(named: readonly QuotaReservation[], rejected: ReadonlyMap<string, unknown>): DisputeResult {
  const [place] = named;
  if (place === undefined) return 'unknown';
  if (named.length > 1) return 'ambiguous';
  if (isReversed(place) || rejected.has(place.reservationId)) return 'already';
  return place.state === 'completed' ? 'reversed' : 'not_completed';
}
