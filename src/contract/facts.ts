/**
 * The facts of one scoring call: all that the pure core may look at, recorded in the receipt so that the verdict can be rendered again.
 * They hold no secret, address or identifier: references are keyed hashes. null means "not measured".
 */
import type { Axis } from './axes.js';
import type { Calibration } from './calibration.js';
import type { ProbeBody, ProbeTransport } from './probe.js';
import type { DegradedSignal, Finding, ProbeState, RespondentStats, ScoreReply } from './score.js';

/** Class of the network an address belongs to, from the ASN database; null where none is configured or the address is unknown. */
export type NetworkClass = 'residential' | 'mobile' | 'hosting' | 'anonymous' | 'education' | 'business';

/** Whether strangers sit together behind the addresses of such a network: then sharing one ties nobody to anybody. */
export function isSharedNetwork(network: NetworkClass | null): boolean {
  return isCarrierOrCampus(network) || network === 'anonymous';
}

/** Shared by many who did not choose to share it, as the customers of a VPN do. */
export function isCarrierOrCampus(network: NetworkClass | null): boolean {
  return network === 'mobile' || network === 'education';
}

/** Whether those behind one address of such a network belong together, as in a household. Offices, data centres and the unknown may seat strangers there. */
export function isOwnNetwork(network: NetworkClass | null): boolean {
  return network === 'residential';
}

/** A keyed hash standing for an identifier within one project: 16 lower-case hex characters. */
export type Ref = string;

/** A relay carries strangers’ traffic under an address that looks like a respondent’s own, and is rented for that. */
export type Relay = 'tor' | 'residential_proxy';

export interface AddressFacts {
  readonly family: 4 | 6;
  /** Whether the address can belong to a respondent at all: public, or one of the special ranges. */
  readonly range: 'public' | 'private' | 'loopback' | 'reserved';
  readonly country: string | null;
  readonly asn: number | null;
  readonly network: NetworkClass | null;
  /** Absent where no database names one. */
  readonly relay?: Relay;
}

/** A device’s comparable parts; agreement of terms is what fuzzy matching counts. */
export interface DeviceSketch {
  /** Hashes of the components, one per component in the fixed order of workers/duplicates; null where unknown. */
  readonly terms: readonly (string | null)[];
  readonly osFamily: string | null;
  readonly browser: string | null;
  readonly browserMajor: number | null;
}

/** An earlier session that may be the same person or device. */
export interface DuplicateCandidate {
  readonly session: Ref;
  readonly atMs: number;
  readonly respondent: Ref | null;
  readonly device: Ref | null;
  readonly prefix: Ref | null;
  /** The token that its page kept; null without one. Absent in older receipts, like the address. */
  readonly token?: Ref | null;
  /** Its address; null if strangers share it. */
  readonly address?: Ref | null;
  readonly sketch: DeviceSketch | null;
  /** How it was found. */
  readonly via: 'respondent' | 'device' | 'token' | 'address' | 'similar';
  /** Its study refused it because it repeats another one. */
  readonly isRepeat?: boolean;
}

/** The surroundings of this session in its scope: what independence is judged from. Window: 24 h, at most the latest 500 sessions. */
export interface Neighborhood {
  /** Sessions in the scope in the window, this one included. */
  readonly sessions: number;
  /** Other sessions tied to this one for certain (device, respondent, or address and device class within 10 minutes). */
  readonly direct: number;
  /** Further sessions reached through those. */
  readonly linked: number;
  /** Sessions on this session’s network prefix, this one included; null where no prefix is known. */
  readonly prefixSessions: number | null;
  /** Sum over prefixes of squared session counts (numerator of the Herfindahl index). */
  readonly prefixSquares: number;
  /** Distinct prefixes in the window. */
  readonly prefixes: number;
}

/** The figures that the counters store counted in one atomic step, this session included. */
export interface CountFacts {
  readonly deviceSessionsDay: number | null;
  readonly deviceRespondentsDay: number | null;
  readonly respondentDay: number | null;
  readonly respondentDevicesWeek: number | null;
  readonly addressDevicesHour: number | null;
  readonly addressRespondentsHour: number | null;
  readonly addressSessionsHour: number | null;
  /** People on the network: whoever was counted there within a day already adds nothing, nor to the source, whatever the study. */
  readonly prefixSessionsHour: number | null;
  readonly prefixSessionsDay: number | null;
  /** People on the address, likewise; null where strangers do not share it. Absent in older receipts. */
  readonly sharedAddressHour?: number | null;
  readonly sharedAddressDay?: number | null;
  /** Most distinct respondents or devices on the single IPv6 address, of whose /64 the address counts are; null for IPv4. Absent in older receipts. */
  readonly hostPeopleHour?: number | null;
  /** This hour’s sessions of the source and the baseline of that hour of the week. */
  readonly source: {
    readonly hour: number;
    readonly mean: number;
    readonly variance: number;
    readonly hours: number;
  } | null;
  /** How often each term of this session’s sketch was seen in the project, among `total` sketches. */
  readonly terms: { readonly total: number; readonly counts: readonly (number | null)[] } | null;
  readonly candidates: readonly DuplicateCandidate[];
  readonly neighborhood: Neighborhood;
}

/** Adjudicated outcomes of one subject, each weighted by its age (half-life 90 days). */
export interface HistoryRecord {
  /** Weighted number of adjudicated sessions. */
  readonly n: number;
  /** Weighted number of fraud-class rejections among them. */
  readonly fraud: number;
  /** Weighted number of completes that are not in `n`, since they may still be reversed. Absent: none. */
  readonly pending?: number;
}

/** Native history, project-wide; clawbacks are weighted by age like the rest. A subject that was not named is null; a known subject without outcomes has n = 0. */
export interface HistoryFacts {
  readonly respondent: (HistoryRecord & { readonly confirmedClawbacks: number }) | null;
  readonly source: HistoryRecord | null;
  readonly subSource: HistoryRecord | null;
  /** Further subjects with a record. */
  readonly device?: HistoryRecord;
  readonly range?: HistoryRecord;
  readonly network?: HistoryRecord;
  readonly study?: HistoryRecord;
}

export interface AgentFacts {
  readonly outcome: 'verified' | 'invalid' | 'unverified';
  /** The agent’s configured name. */
  readonly agent: string | null;
  /** Why it did not verify, in words for the integrator. */
  readonly reason: string | null;
}

/** One page load, its newest update merged over its load. */
export interface ProbeFacts {
  readonly body: ProbeBody;
  /** The transport of the load message, if one came. */
  readonly transport: ProbeTransport;
  /** The newest update after the load: its transport, and the time since the load by the page’s age and by its clock. */
  readonly update?: { readonly transport: ProbeTransport; readonly pageMs: number; readonly clockMs: number };
}

/** All page loads of a session that were kept; the first is the one that the device and its sketch are taken from. */
export interface ProbeRecord extends ProbeFacts {
  /** Absent in older receipts, which knew one page only. */
  readonly others?: readonly ProbeFacts[];
}

/** light: a press of a button. heavy: a capture. */
export type StepUpIntensity = 'light' | 'heavy';

/** The result of a verification that an earlier score of the session and of its respondent requested. */
export type StepUpOutcome = {
  readonly passed: boolean;
  readonly intensity: StepUpIntensity;
  /** The device of the page that was scored then, or without one that of the verification; null if too little of it is known. */
  readonly device: DeviceSketch | null;
};

/** Properties of the caller’s integration in a request; shown as notes. */
export interface IntegrationFacts {
  /** Names that the contract does not know, with the nearest that it does; at most five. */
  readonly unknownFields?: readonly string[];
  /** Fields whose value looks like an e-mail address, a phone number or a network address rather than a hash; never the value. */
  readonly unhashed?: readonly string[];
  /** In development only: which session a probe from the same address was for. */
  readonly probeElsewhere?: string | null;
  /** A live key scored a session id that has a fixed answer with test keys alone. */
  readonly isFixedSession?: boolean;
  /** State of the probe as the caller’s page reported it. */
  readonly probeState?: ProbeState | null;
}

export interface ScoreFacts {
  readonly version: 1;
  readonly receiptId: string;
  readonly scoredAtMs: number;
  readonly sessionId: string;
  /** false for an organization key, which resolves to no project: nothing is counted then. */
  readonly measured: boolean;
  readonly calibration: Calibration;
  readonly assuranceAvailable: 'can_step_up_to_biometric' | 'can_step_up_to_captcha' | 'none';
  readonly userAgent: string | null;
  /** Upper case. */
  readonly declaredCountry: string | null;
  /** A respondentId was sent and is usable (it differs from sessionId). */
  readonly respondentKnown: boolean;
  /** A device is known, by deviceHash or by the probe’s token. */
  readonly deviceKnown: boolean;
  /** It is known by a deviceHash, which devices that look alike may share; a token is random and kept on one. */
  readonly deviceHashed?: boolean;
  readonly respondentStats: RespondentStats | null;
  readonly address: AddressFacts;
  /** Reference of the address’s network prefix, as candidates carry it. */
  readonly prefix?: Ref | null;
  /** Reference of the address; null where strangers share it. Absent in older receipts. */
  readonly ownAddress?: Ref | null;
  /** Reference of the token that the page kept; null without one. Absent in older receipts. */
  readonly token?: Ref | null;
  /** null if none came, or none could be read; `probeRead` distinguishes the two. */
  readonly probe: ProbeRecord | null;
  /** false where the store that keeps probes did not answer: whether one came is then not known. Absent in older receipts, where it reads true. */
  readonly probeRead?: boolean;
  readonly counts: CountFacts | null;
  readonly history: HistoryFacts | null;
  readonly agent: AgentFacts | null;
  /** Absent in older receipts, and where nothing stands out. */
  readonly integration?: IntegrationFacts;
  /** The receipt that the session got before this one; absent in older receipts. */
  readonly supersedes?: string | null;
  /** The verifications that earlier scores of the session requested, the best first; absent without one. */
  readonly stepUps?: readonly StepUpOutcome[];
  /** Degraded signals that gathering already knows of; the core adds its own. */
  readonly degraded: readonly DegradedSignal[];
}

/** The list and the strength of each finding; `faithful` compares it. */
export type Classification = readonly {
  readonly code: string;
  readonly list: 'against' | 'for' | 'notes';
  readonly strength: Finding['strength'];
}[];

/** The core’s result for the facts. */
export interface ScoreOutcome {
  readonly reply: ScoreReply;
  /** Sessions of which each alone makes this one a likely repeat. */
  readonly repeated: readonly Ref[];
  readonly classification: Classification;
  /** Hash of the rule set: weights, caps and placement rules. */
  readonly modelVersion: string;
  /** The calibration that decided: without step-up once one is done. */
  readonly calibration: Calibration;
  /** The score before any cap, and the caps that applied: what a simulation starts from. */
  readonly uncapped: number;
  readonly caps: readonly string[];
  /** The advice that replaced the score’s: the policy on verified agents, or review after a failed step-up. */
  readonly policy: 'allow' | 'review' | null;
  /** The contributions of the findings, in the order in which they were found. */
  readonly contributions: readonly Contribution[];
}

/** The effect of one finding on the score. For operators: callers never read weights. */
export interface Contribution {
  readonly code: string;
  readonly axis: Axis;
  /** Logits as raised. */
  readonly weight: number;
  /** Logits after the country’s multiplier and the discount of its correlation group, before the axis’s cap and what is set off. */
  readonly discounted: number;
  /** Logits that counted: positive against, negative in favour, 0 for nothing. */
  readonly applied: number;
  /** Whether the whole-number score would be another without it, taken foremost first. */
  readonly moved: boolean;
}
