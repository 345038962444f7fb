/** Erases a respondent under the name that suppliers send, under those that studies gave them, and in their places. Repeated after a failure, it continues. */
import type { Actor } from '../administration/audit.js';
import type { ErasureReply } from '../contract/respondent-erasure.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { markWaiting, type PostbackDeliveries } from './postbacks.js';
import {
  eraseReservations,
  findRespondentRefs,
  type ErasedPlace,
  type ErasedRespondent,
} from './reservation-erasure.js';
import { isReservationId } from './reservation-store.js';

export interface RespondentErasureDeps {
  readonly database: Database;
  /** Erases what is kept outside the places under one name of the respondent with the id `givenId`. */
  readonly eraseName: (actor: Actor, respondent: ErasedRespondent, givenId: string) => Promise<ErasureReply>;
  /** Erases the links and the webhook payloads of places; returns how many payloads. */
  readonly eraseElsewhere: (
    tx: Queryable,
    respondent: ErasedRespondent,
    places: readonly ErasedPlace[],
  ) => Promise<number>;
}

export const createRespondentErasure =
  ({ database, eraseName, eraseElsewhere }: RespondentErasureDeps) =>
  async (actor: Actor, respondent: ErasedRespondent): Promise<ErasureReply> => {
    const { respondentId: givenId } = respondent;
    const { erased, left, unreadable } = await eraseName(actor, respondent, givenId);
    for (const respondentId of await findRespondentRefs(database, respondent)) {
      const more = await eraseName(actor, { ...respondent, respondentId }, givenId);
      for (const kind of ['sessions', 'fingerprints', 'receipts', 'events'] as const) erased[kind] += more.erased[kind];
      for (const kind of ['sessions', 'receipts', 'events', 'history'] as const) left[kind] += more.left[kind];
    }
    // Postbacks name also who was never scored.
    erased.events += await eraseReservations(database, respondent, (tx, places) =>
      eraseElsewhere(tx, respondent, places),
    );
    return { erased, left, unreadable };
  };

/** Erases webhook payloads of sessions. Places among them are marked first if their postbacks have not arrived. */
export const createPayloadErasure =
  (
    postbacks: Pick<PostbackDeliveries, 'findWaiting'>,
    erasePayloads: (tx: Queryable, projectId: string, ids: readonly string[]) => Promise<number>,
  ): typeof erasePayloads =>
  async (tx, projectId, ids) => {
    await markWaiting(tx, ids.filter(isReservationId), postbacks);
    return erasePayloads(tx, projectId, ids);
  };
