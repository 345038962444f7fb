/**
 * The score of a visit to a study: as with a key, but for who can be repeated. Throws as scoring does; without the database nobody is compared, and
 * the visit fails.
 */
import type { Ref } from '../contract/facts.js';
import type { ScoreReply, ScoreRequest } from '../contract/score.js';
import type { DataOwner } from '../kernel/caller.js';
import type { Address } from '../net/address.js';
import type { Database } from '../stores/database/port.js';
import { traitsOf, type GivenLink } from './entry-links.js';
import { scoredRef, type Asking } from './own-places.js';
import { awaitedBy, classifySessions, type SessionClasses } from './repetition.js';
import type { Study } from './study-store.js';

export interface RepeatHooks {
  /** Sorts the sessions found alike: those that the scored one does not repeat, and those that are repeats themselves. */
  readonly classifySessions: (sessions: readonly Ref[]) => Promise<SessionClasses>;
  /** Called with the sessions that the scored one repeats. */
  readonly onRepeated: (sessions: readonly Ref[]) => void;
}

export interface GateDeps {
  readonly database: Database;
  readonly score: (owner: DataOwner, request: ScoreRequest, hooks: RepeatHooks) => Promise<string>;
}

interface ScoredVisit {
  readonly link: GivenLink;
  readonly address: Address | null;
  readonly userAgent: string | undefined;
}

/** The same scoring as with a key, but for who can be repeated. The session is the reservation: each visit has a receipt, and none counts twice. */
export async function scoreVisit(
  deps: GateDeps,
  study: Study,
  { userAgent, address, link }: ScoredVisit,
  { asking, ownId, sessionRef }: { readonly asking: Asking; readonly ownId: string; readonly sessionRef: Ref },
): Promise<{ readonly reply: ScoreReply; readonly repeats: readonly Ref[] | null }> {
  const { country } = traitsOf(link);
  const request = {
    sessionId: ownId,
    clientIp: address?.text ?? '',
    sourceId: link.src,
    studyId: study.studyId,
    respondentId: scoredRef(asking, ownId),
    deviceHash: asking.deviceRef,
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(country === null ? {} : { declaredCountry: country }),
  };
  let classes: SessionClasses = { unrepeatable: [], repeats: [], awaited: new Map() };
  let repeated: readonly Ref[] = [];
  const text = await deps.score(dataOwnerOf(study), request, {
    async classifySessions(sessions) {
      return (classes = await classifySessions(deps.database, { ...study, visitor: sessionRef }, sessions));
    },
    onRepeated: (sessions) => void (repeated = sessions),
  });
  return { reply: JSON.parse(text) as ScoreReply, repeats: awaitedBy(repeated, classes) };
}

/** The measurements of a study belong to its project, and the key that created the study may read them. */
export const dataOwnerOf = ({ organizationId, projectId, lineage, isTest }: Study): DataOwner => ({
  ...{ lineage, organizationId, projectId, isTest, isDemo: false },
});
