/** Finds sessions whose complete is rejected by outcome events now. Reads the database; nothing is cached. */
import { placeEventIds, type ReasonClass } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { DataOwner } from '../../kernel/caller.js';
import type { Database } from '../../stores/database/port.js';
import { findReversal } from './adjudication-rules.js';
import { readOutcomes } from './adjudication-work.js';
import { rowOwnerOf } from './outcome-rows.js';
import { nameOf } from './session-subjects.js';

/** The rejected ones of these sessions, and why. The service’s own events of places are left out. */
export const createReversalReader =
  ({ database, makeRef }: { readonly database: Database; readonly makeRef: MakeRef }) =>
  async (owner: DataOwner, sessionIds: readonly string[]): Promise<ReadonlyMap<string, ReasonClass>> => {
    const { namespace, holder } = rowOwnerOf(owner);
    const named = sessionIds.map((sessionId) => ({
      sessionId,
      namespace,
      sessionRef: makeRef(holder, 'session', sessionId),
    }));
    const outcomes = await readOutcomes(database, named);
    return new Map(
      named.flatMap((session) => {
        const stated = outcomes.get(nameOf(session)) ?? [];
        const reason = findReversal(stated.filter(({ eventId }) => eventId?.startsWith(placeEventIds) !== true));
        return reason === null ? [] : [[session.sessionId, reason] as const];
      }),
    );
  };
