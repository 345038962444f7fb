/**
 * How many places one person may take in a study: by browser, by address, and by supplier. A place counts for whoever took it, also when it
 * was released unused. Counted under the lock of the study.
 */
import { isCarrierOrCampus, isOwnNetwork, type NetworkClass } from '../contract/facts.js';
import type { StudyLimits } from '../contract/study.js';
import { coveringQuotas } from '../contract/study-capacity.js';
import type { Completion } from '../contract/study-replies.js';
import type { Queryable } from '../stores/database/port.js';
import type { QuotaReservation } from './reservation-store.js';
import { claimsOf } from './study-counts.js';
import { countsAs } from './study-rules.js';
import type { Study, StudyWithQuotas } from './study-store.js';

/** The person who takes a place, as keyed hashes. null: unknown, and not limited. */
export interface Claimant {
  readonly deviceRef: string;
  /** Covers the address, or the /64 of IPv6. */
  readonly addressRef: string | null;
  /** Covers the /48 of IPv6. */
  readonly networkRef: string | null;
  readonly networkClass: NetworkClass | null;
}

const ownAddressPlaces = 3;
const otherAddressPlacesMin = 10;
/** No address that strangers may share takes more of a study by default. Those of carriers and campuses they do share. */
const otherAddressShare = 0.1;

export interface AddressLimits {
  readonly address: number | null;
  readonly network: number | null;
}

/** The owner’s limits come first. The defaults fit a household on home and hosting networks, are a share of the study on others, and null (no limit) on carriers and campuses. */
export function addressLimits(
  { limits: { perAddress }, sampleSize }: { readonly limits: StudyLimits; readonly sampleSize: number },
  network: NetworkClass | null,
): AddressLimits {
  const isOwn = isOwnNetwork(network) || network === 'hosting';
  if (perAddress === undefined && isCarrierOrCampus(network)) return { address: null, network: null };
  if (perAddress === undefined && !isOwn) {
    const share = Math.max(otherAddressPlacesMin, Math.ceil(sampleSize * otherAddressShare));
    return { address: share, network: share };
  }
  const address = perAddress ?? ownAddressPlaces;
  return { address, network: 2 * address };
}

/** Completes without a confirmation. */
const pending: readonly Completion[] = ['unconfirmed', 'too_fast'];

/**
 * Whether whoever asks has taken all the places that the study gives to one; the supplier, until its completes count. Without a claimant, only
 * the supplier is limited: the place was counted for its person when they took it. Unsigned links of a supplier count apart from signed ones, and
 * those of no known supplier together, because anyone may invent their source.
 */
export async function isBeyondLimits(
  tx: Queryable,
  study: Study,
  { reservationId, supplierId, entry }: Pick<QuotaReservation, 'reservationId' | 'supplierId' | 'entry'>,
  claimant: Claimant | null,
): Promise<boolean> {
  const { address, network } = addressLimits(study, claimant?.networkClass ?? null);
  const { perDevice = 1, heldPerSupplier } = study.limits;
  const isOfSender = supplierId === null ? '$6::text IS NULL AND supplier_id IS NULL' : 'supplier_id = $6';
  const most = { device: perDevice, address, network };
  const claims = claimant === null ? [] : claimsOf(claimant).filter(([kind]) => most[kind] !== null);
  const [row] = await tx.query<{ readonly beyond: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM unnest($2::text[], $3::text[], $4::int[]) AS claim (kind, ref, most)
              JOIN study_claimants c ON c.study_id = $1 AND c.kind = claim.kind AND c.ref = claim.ref WHERE c.places >= claim.most)
         OR ($7::int IS NOT NULL AND (SELECT count(*) FROM study_places
              WHERE study_id = $1 AND place_id <> $5 AND ${isOfSender} AND entry = $9
                AND (state IN ('verifying', 'surveying') OR completion IN ('unconfirmed', 'too_fast'))
                AND coalesce(completion, '') <> ALL($8::text[])) >= $7) AS beyond`,
    [
      ...[
        study.studyId,
        claims.map(([kind]) => kind),
        claims.map(([, ref]) => ref),
        claims.map(([kind]) => most[kind]),
      ],
      ...[reservationId, supplierId, heldPerSupplier ?? null],
      ...[pending.filter((completion) => countsAs(completion, study)), entry],
    ],
  );
  return row?.beyond !== false;
}

/** Whether the browser of a claimant is one that the study lets people share, and has taken a place before. */
export async function sharesDevice(
  tx: Queryable,
  { studyId, limits: { perDevice = 1 } }: Pick<Study, 'studyId' | 'limits'>,
  { deviceRef }: Claimant,
): Promise<boolean> {
  if (perDevice === 1) return false;
  const taken = await tx.query('SELECT 1 FROM study_claimants WHERE study_id = $1 AND kind = $2 AND ref = $3', [
    ...[studyId, 'device', deviceRef],
  ]);
  return taken.length > 0;
}

/** Places that respondents could still take. Quotas that leave nobody out count. */
export function placesLeft({ status, sampleSize, held, countries, quotas }: StudyWithQuotas): number {
  if (status !== 'fielding') return 0;
  const rest = (some: readonly { readonly limit: number; readonly held: number }[]): number =>
    some.reduce((sum, { limit, held }) => sum + Math.max(0, limit - held), 0);
  return Math.max(0, Math.min(sampleSize - held, ...coveringQuotas(countries, quotas).map(rest)));
}
