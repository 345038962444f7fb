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
import { unescapeCell } from './csv.js';
import { dataOwnerOf } from './gate.js';
import { underLock, underStudyLock } from './fielding.js';
import { isAside } from './own-places.js';
import { isErased, findNamed, findReservation, type QuotaReservation } from './reservation-store.js';
import type { ReportOutcomes } from './outcome-reporter.js';
import type { FindRejections } from './place-settlement.js';
import { isReversed, restore, reverseAll, type Rejection } from './reversals.js';
import { note, type StudyCaller } from './study-creation.js';
import { statuses } from './study-rules.js';
import { requireStudy, type Study } from './study-store.js';
import { suppliersOfSources } from './supplier-store.js';

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
    inOrganization(database, caller.organizationId, (tx) => requireStudy(tx, studyId, caller));

  return {
    /**
     * Throws NOT_FOUND; VALIDATION_FAILED for rows that name nobody. Every other row is answered by itself. `isTable`: a CSV, whose cells may
     * have the apostrophes of an export.
     */
    async dispute(
      actor: Actor,
      caller: StudyCaller,
      studyId: string,
      rows: readonly DisputeRow[],
      { isTable = false }: { readonly isTable?: boolean } = {},
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
        const { answered, reversed } = await disputeBatch(database, study, {
          rows: rows.slice(from, from + batchMax),
          textsOf: isTable ? textsOfCell : textsOfValue,
          at: new Date(now()),
        });
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

interface GivenRows {
  readonly rows: readonly DisputeRow[];
  /** The texts that a value may mean, its own first. */
  readonly textsOf: (value: string) => readonly string[];
  readonly at: Date;
}

const textsOfValue = (value: string): readonly string[] => [value];
const textsOfCell = (cell: string): readonly string[] => [...new Set([cell, unescapeCell(cell)])];

const disputeBatch = (database: Database, owned: Study, { rows, textsOf, at }: GivenRows): Promise<Batch> =>
  underStudyLock(database, owned, async (tx, study) => {
    const places = await findNamed(tx, study, {
      ids: rows.flatMap(({ place }) => place ?? []),
      rids: rows.flatMap(({ rid, place }) => (place === undefined && rid !== undefined ? textsOf(rid) : [])),
    });
    const sources = rows.flatMap(({ sourceId }) => (sourceId === undefined ? [] : textsOf(sourceId)));
    const suppliers = await suppliersOfSources(tx, study, sources);
    const answered: Batch['answered'] = [];
    const rejected = new Map<string, { place: QuotaReservation; rejection: Rejection }>();
    for (const row of rows) {
      const { rid = null, place: placeId = null, reason, note: text = null } = row;
      const named = namedBy(row, places, { textsOf, suppliers });
      const [place = null] = named;
      const result = resultOf(named, rejected);
      if (place !== null && result === 'reversed') {
        const note = text === null ? null : (textsOf(text).at(-1) ?? null);
        rejected.set(place.reservationId, { place, rejection: { by: 'dispute', reason, note, at } });
      }
      const found = result === 'ambiguous' ? null : place;
      answered.push({ rid: found?.respondentId ?? rid, place: found?.reservationId ?? placeId, result });
    }
    return { answered, reversed: await reverseAll(tx, study, [...rejected.values()]) };
  });

interface Names extends Pick<GivenRows, 'textsOf'> {
  /** Suppliers by their sourceId of today. A place has that of its link. */
  readonly suppliers: ReadonlyMap<string, string>;
}

/** The places that a row may mean. That of an erased respondent needs its id. One that nobody took has no complete to reject, and nor have browsers that an open link brought besides the respondent. */
function namedBy(
  { rid, place: placeId, sourceId }: DisputeRow,
  places: readonly QuotaReservation[],
  { textsOf, suppliers }: Names,
): readonly QuotaReservation[] {
  const rids = rid === undefined ? null : textsOf(rid);
  const sources = sourceId === undefined ? null : textsOf(sourceId);
  const isFrom = ({ sourceId: sent, supplierId }: QuotaReservation, source: string): boolean =>
    sent === source || (supplierId !== null && suppliers.get(source) === supplierId);
  const named = places.filter(
    (place) =>
      (placeId === undefined ? !isErased(place) : place.reservationId === placeId) &&
      (rids?.includes(place.respondentId) ?? true) &&
      (sources?.some((source) => isFrom(place, source)) ?? true),
  );
  const respondents = named.filter((place) => !isAside(place));
  const taken = respondents.filter(({ state }) => state !== 'entering' && state !== 'screened');
  if (taken.length > 0) return taken;
  return respondents.length === 0 ? named.slice(0, 1) : respondents;
}

/** The result of a row that names these places. */
function resultOf(named: readonly QuotaReservation[], rejected: ReadonlyMap<string, unknown>): DisputeResult {
  const [place] = named;
  if (place === undefined) return 'unknown';
  if (named.length > 1) return 'ambiguous';
  if (isReversed(place) || rejected.has(place.reservationId)) return 'already';
  return place.state === 'completed' ? 'reversed' : 'not_completed';
}
