/**
 * How probable it is that a session is of the same device as an earlier one, without an identifier that proves it. Prior odds of one in all
 * sessions around; evidence in bits from the look, the deviceHash (which is made from a look, so that the two count once) and the network.
 *
 *   the same home address    the rival is a relative: how much the look agrees, against how often relatives own the same model;
 *                            phones of two models, which may draw alike, stay under `likely`
 *   anything else            the rivals are all strangers of the study: where one of them is expected to look this much alike, and on a phone
 *                            or in a young project without the same network, it stays under `likely`
 */
import {
  isOwnNetwork,
  type CountFacts,
  type DeviceSketch,
  type DuplicateCandidate,
  type ScoreFacts,
} from '../../src/contract/facts.js';
import { createLikeness, isContradicted, isOtherModel, type Likeness } from './likeness.js';

export interface Link {
  readonly probability: number;
  readonly address: 'home' | 'network' | null;
  readonly look: boolean;
}

export const linkageThresholds = {
  /** Share of sessions that repeat an earlier one, and that have a relative in the study, before anything is compared. */
  priorShare: 0.05,
  relativeShare: 0.025,
  /** Relatives whose devices look the same. */
  relativesAlike: 0.1,
  /** Repeats that come from the same address, and from the same network. */
  sameAddress: 0.75,
  sameNetwork: 0.85,
  /** Fewest sessions that a session is distinguished from. */
  sessionsMin: 500,
  /** Sessions that a network’s own share is weighed against, and the share that is usual. */
  usualSessions: 100,
  usualNetwork: 0.02,
  /** Bits of the same address where strangers may share it, beyond those of its network; of another deviceHash. */
  addressBits: 2,
  otherHashBits: -2,
  /** How common a deviceHash is before it was seen among so many sessions. */
  usualHash: 0.02,
  sameHash: 0.9,
  /** Most that agreement is worth where a twin is no surprise, and strangers expected to agree from which it is none. */
  uncertainMax: 0.89,
  chanceMax: 0.1,
  /** People on an address up to whom it is a household’s. */
  householdMax: 5,
  /** Other tokens on a network up to which a device may have been cleared; beyond, they are devices. */
  clearedMax: 1,
} as const;

const thresholds = linkageThresholds;
const unlinked: Link = { probability: 0, address: null, look: false };

export interface Compared {
  readonly own: DeviceSketch | null;
  readonly likeness: ((sketch: DeviceSketch) => Likeness) | null;
}

const unlike: Likeness = { hardware: 0, place: 0, difference: 0 };

export function createLinkage(
  facts: ScoreFacts,
  counts: CountFacts,
  { own, likeness }: Compared,
): (candidate: DuplicateCandidate) => Link {
  const hashBits = worthOfHash(counts);
  const networkBits = worthOfNetwork(counts);
  const { ownAddress, prefix, deviceHashed } = facts;
  const areTwinsUsual = own === null || isPhone(own);
  const isHome = ownAddress != null && isOwnNetwork(facts.address.network);
  const isHousehold = isHome && !isCrowded(counts);
  const isRack = countNearby(facts, counts, areTwinsUsual) > thresholds.clearedMax;
  // The visits of one device that is cleared again and again make its look common, and a crowd of people who are one.
  const hasRepeats = counts.candidates.some(({ isRepeat }) => isRepeat === true);
  const usualLikeness = areTwinsUsual || !isHome || !hasRepeats ? null : createLikeness(own, null);
  return (candidate) => {
    const { sketch, via, address } = candidate;
    if (own !== null && isContradicted(own, candidate, facts.scoredAtMs)) return unlinked;
    const sameAddress = ownAddress != null && address === ownAddress;
    const clearedLikeness = sameAddress && candidate.isRepeat === true ? usualLikeness : null;
    const compare = clearedLikeness ?? likeness;
    const { hardware, place, difference } = sketch === null || compare === null ? unlike : compare(sketch);
    const sameHash = deviceHashed === true && via === 'device';
    const otherHash = deviceHashed === true && !sameHash && isHash(candidate);
    const isUncertain = isRack || (own !== null && sketch !== null && isOtherModel(own, sketch));
    const look = Math.max(hardware, sameHash ? hashBits : 0);
    const against = difference + (otherHash ? thresholds.otherHashBits : 0);
    if (sameAddress && (isHousehold || clearedLikeness !== null)) {
      const probability = againstRelatives(look + against);
      return { probability: isUncertain ? holdBack(probability) : probability, address: 'home', look: look > 0 };
    }
    const sameNetwork = prefix != null && candidate.prefix === prefix;
    const network = sameNetwork ? networkBits + (sameAddress ? thresholds.addressBits : 0) : 0;
    const away = prefix == null || sameNetwork ? 0 : Math.log2(1 - thresholds.sameNetwork);
    const probability = againstStrangers(counts.terms, {
      // Neighbors share clock and languages.
      agreement: look + (sameNetwork ? place / 2 : place) + network,
      difference: against + away,
      isOpen: sameNetwork ? isUncertain : areTwinsUsual,
    });
    return { probability, address: sameNetwork ? 'network' : null, look: look > 0 };
  };
}

/** By the look alone: of whoever knows nothing else of the two. */
export function createLookMatch(
  own: DeviceSketch,
  terms: CountFacts['terms'],
  nowMs: number,
): (candidate: DuplicateCandidate) => number {
  const likeness = createLikeness(own, terms);
  return (candidate) => {
    if (candidate.sketch === null || isContradicted(own, candidate, nowMs)) return 0;
    const { hardware, place, difference } = likeness(candidate.sketch);
    return againstStrangers(terms, { agreement: hardware + place, difference, isOpen: isPhone(own) });
  };
}

const isPhone = ({ osFamily }: DeviceSketch): boolean => osFamily === 'ios' || osFamily === 'android';

function againstStrangers(
  terms: CountFacts['terms'],
  bits: { readonly agreement: number; readonly difference: number; readonly isOpen: boolean },
): number {
  const among = Math.max(terms?.total ?? 0, thresholds.sessionsMin);
  const odds = (2 ** (bits.agreement + bits.difference) * thresholds.priorShare) / among;
  const probability = odds / (1 + odds);
  return bits.isOpen || terms === null || among * 2 ** -bits.agreement > thresholds.chanceMax
    ? holdBack(probability)
    : probability;
}

function againstRelatives(bits: number): number {
  const { priorShare, sameAddress, relativeShare, relativesAlike } = thresholds;
  const odds = (priorShare * sameAddress) / (relativeShare * (relativesAlike + (1 - relativesAlike) * 2 ** -bits));
  return odds / (1 + odds);
}

function worthOfHash({ candidates, deviceSessionsDay, terms }: CountFacts): number {
  const among = Math.max(terms?.total ?? 0, thresholds.sessionsMin);
  const found = candidates.filter(({ via }) => via === 'device').length;
  const others = Math.max(found, (deviceSessionsDay ?? 0) - 1, 1) - 1;
  const { usualSessions, usualHash, sameHash } = thresholds;
  return Math.log2((sameHash * (among + usualSessions)) / (others + usualSessions * usualHash));
}

function worthOfNetwork({ neighborhood: { sessions, prefixSessions } }: CountFacts): number {
  const others = Math.max(0, (prefixSessions ?? 0) - 2);
  const { usualSessions, usualNetwork, sameNetwork } = thresholds;
  return Math.max(0, Math.log2((sameNetwork * (sessions + usualSessions)) / (others + usualSessions * usualNetwork)));
}

/** More people on the address than a household has: whatever its network is said to be, strangers share it. */
export function isCrowded({ addressRespondentsHour, addressDevicesHour }: CountFacts): boolean {
  return Math.max(addressRespondentsHour ?? 0, addressDevicesHour ?? 0) > thresholds.householdMax;
}

/**
 * People with other devices on the network that look like candidates at all, by the tokens that the devices keep; none where strangers share
 * addresses. A repeat that its study refused is one more token of a device that was cleared. Among phones it may as well be a twin of one model.
 */
function countNearby(
  { ownAddress, prefix, token: own }: ScoreFacts,
  { candidates }: CountFacts,
  areTwinsUsual: boolean,
): number {
  if (ownAddress == null) return 0;
  const known = new Set([own]);
  let people = 0;
  for (const { via, token, respondent, isRepeat, prefix: theirs } of candidates) {
    if (token == null || theirs !== prefix || (isRepeat === true && !areTwinsUsual)) continue;
    if (via !== 'respondent' && !known.has(token) && (respondent === null || !known.has(respondent))) people += 1;
    known.add(token);
    if (respondent !== null) known.add(respondent);
  }
  return people;
}

/** Its device is known by a deviceHash rather than by a token. */
const isHash = ({ device, token }: DuplicateCandidate): boolean => device !== null && device !== token;

const holdBack = (probability: number): number => Math.min(probability, thresholds.uncertainMax);
