/**
 * The try of an entry link by whoever holds it. No respondent enters, and nothing is written. Without the right signature, one answer covers every
 * cause: study, supplier and secret stay unknown. Redirects show in full only for a `rid` that no respondent has, because a respondent who
 * reads the address of a complete could open it.
 */
import { exitStatuses, triedRidPrefix, type ExitStatus } from '../contract/supplier.js';
import type { Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { controlsIn, judgeLink, missingIn, traitsOf, unsignedIn, type GivenLink, type Problem } from './entry-links.js';
import { isBeyondLimits } from './limits.js';
import { notAnEntryLink, readLink, repeatedIn, tooLongIn, unreadableIn } from './link-problems.js';
import { progressOf, respondentRefOf } from './own-places.js';
import type { LinkServiceDeps } from './link-service.js';
import { findRespondentReservation, type Traits } from './reservation-store.js';
import { hasRoomFor } from './room.js';
import { findStudy, type Study } from './study-store.js';
import { fillRedirect, redirectOf } from './supplier-rules.js';
import { findSupplierOfSource, type Supplier } from './supplier-store.js';

export type LinkTrial =
  /** By the link alone. */
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] }
  | { readonly kind: 'unproven' }
  /** The supplier signed it, for a study that does not take its respondents. */
  | { readonly kind: 'excluded'; readonly link: GivenLink }
  | ProvenLink;

export interface ProvenLink {
  readonly kind: 'proven';
  readonly link: GivenLink;
  readonly studyName: string;
  readonly signedWith: 'current' | 'previous';
  readonly expiresAt: Date;
  readonly isExpired: boolean;
  readonly isFielding: boolean;
  readonly isCountryTaken: boolean;
  readonly hasRoom: boolean;
  /** How far the respondent has come. */
  readonly reached: ReturnType<typeof progressOf>;
  readonly traits: Traits;
  /** Traits that an entry ignores. */
  readonly ignored: readonly Problem[];
  readonly exits: readonly TriedExit[];
}

export interface TriedExit {
  readonly status: ExitStatus;
  /** null: a page of the service. `isWhole`: with its path and its values; else the host alone. */
  readonly address: { readonly text: string; readonly isWhole: boolean } | null;
}

export type LinkTrials = ReturnType<typeof createLinkTrials>;

const triedPlace = 'plc_try';

export function createLinkTrials(deps: LinkServiceDeps) {
  const { database } = deps;
  const tryValues = async (link: GivenLink): Promise<LinkTrial> => {
    const problems = [...missingIn(link), ...tooLongIn(link), ...controlsIn(link), ...unsignedIn(link)];
    if (problems.length > 0) return { kind: 'malformed', problems };
    const study = await findStudy(database, link.studyId);
    if (study === null) return { kind: 'unproven' };
    return inOrganization(database, study.organizationId, (tx) => judge(deps, tx, study, link));
  };
  return {
    tryValues,
    /** The same for a whole address. */
    async tryUrl(url: string): Promise<LinkTrial> {
      const link = readLink(url.trim(), deps.audienceUrl());
      if (link === null) return { kind: 'malformed', problems: [notAnEntryLink(deps.audienceUrl())] };
      const problems = repeatedIn(url.trim());
      return problems.length > 0 ? { kind: 'malformed', problems } : tryValues(link);
    },
  };
}

async function judge(
  { secrets, hash, now }: LinkServiceDeps,
  tx: Queryable,
  study: Study,
  link: GivenLink,
): Promise<LinkTrial> {
  const supplier = await findSupplierOfSource(tx, study, link.src);
  if (supplier === null) return { kind: 'unproven' };
  const opened = secrets.open(supplier.supplierId, supplier);
  const known = { supplierId: supplier.supplierId, secrets: opened };
  const { signedWith, expiresAt, isExpired, problems } = judgeLink(link, { study, supplier: known, nowMs: now() });
  if (signedWith === null || expiresAt === null) return { kind: 'unproven' };
  if (problems.some(({ code }) => code === 'supplier_not_in_study')) return { kind: 'excluded', link };
  const traits = traitsOf(link);
  const respondentRef = respondentRefOf(hash, study, link.rid, { entry: 'signed', supplierId: supplier.supplierId });
  const tried = { reservationId: '', supplierId: supplier.supplierId, entry: 'signed' } as const;
  return {
    ...{ kind: 'proven', link, studyName: study.name, signedWith, expiresAt, isExpired, traits },
    isFielding: study.status === 'fielding',
    isCountryTaken: traits.country === null || study.countries.includes(traits.country),
    hasRoom: (await hasRoomFor(tx, study, traits)) && !(await isBeyondLimits(tx, study, tried, null)),
    reached: progressOf(study, await findRespondentReservation(tx, study.studyId, respondentRef)),
    ignored: unreadableIn(link),
    exits: exitStatuses.map((status) => exitOf(supplier, opened.current, link, status)),
  };
}

function exitOf({ redirects }: Supplier, secret: string, { studyId, rid }: GivenLink, status: ExitStatus): TriedExit {
  const address = redirectOf(redirects, status);
  if (address === null) return { status, address: null };
  const isWhole = rid.startsWith(triedRidPrefix);
  const exit = { studyId, placeId: triedPlace, rid, status, entry: 'signed' } as const;
  return { status, address: { text: isWhole ? fillRedirect(address, exit, secret) : new URL(address).host, isWhole } };
}
