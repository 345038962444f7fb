/** `POST /lite/score` and the evidence of a receipt: what the caller sends and what it gets. */
import { Type, type Static } from 'typebox';
import { callerIdLengthMax, userAgentLengthMax } from '../limits.js';
import { axes } from './axes.js';
import { Absent, CallerId, Nullable, Percent, StringEnum, Timestamp } from './common.js';
import { CountryCodeOrEmpty } from './country.js';
import { unit } from './project-parts.js';

/** bound: impossible in a legitimate session. record: adjudicated by an authority. correlate: statistical. exculpatory: in the respondent's favour. diagnostic: about measurement or policy. */
export const findingClasses = ['bound', 'record', 'correlate', 'exculpatory', 'diagnostic'] as const;
export const severities = ['info', 'low', 'medium', 'high'] as const;
export const strengths = ['none', 'weak', 'moderate', 'strong'] as const;
export const duplicateBands = ['none', 'possible', 'likely', 'confirmed'] as const;
export const independenceBands = ['independent', 'shared', 'concentrated'] as const;
export const recommendations = ['allow', 'review', 'block', 'step_up'] as const;
/** Limits that held a score. uncorroborated: one axis alone has evidence. policy: the project’s own choice weighed in. dispositive: a signal that may decide alone was seen. */
export const ceilings = ['uncorroborated', 'policy', 'dispositive'] as const;
export type Ceiling = (typeof ceilings)[number];
export const verdictClasses = ['human', 'fraud', 'verified_agent', 'unknown'] as const;

/** Sources of facts that can be missing; each stands in docs/reference/score.md. */
export const degradedSignals = [
  'client_probe_missing',
  'client_probe_blocked',
  'client_probe_late',
  'organization_key',
  'respondent_id_equals_session_id',
  'supplier_stats_deprecated_alias',
  'geo_unavailable',
  'network_unavailable',
  'counters_unavailable',
  'history_unavailable',
  'probe_unusable',
  'probe_unreadable',
  'step_ups_unavailable',
] as const;
export type DegradedSignal = (typeof degradedSignals)[number];

/** Reports of a page on its probe, as a form forwards them. They are claims of a browser, and weigh nothing. */
export const probeStates = ['sent', 'not_sent', 'not_loaded', 'no_javascript'] as const;
export type ProbeState = (typeof probeStates)[number];

const hashHint = 'lowercase hex of SHA-256 over salt|value; the service never receives the salt';

export const RespondentStats = Type.Object(
  {
    attempts: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    completes: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'At most attempts.' }),
    reconciliationRate: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of completes reversed afterwards.' })),
    ),
  },
  {
    description:
      'History prior of this respondent, used only while native history is thin. If it is not used, a note of the evidence explains why.',
  },
);
/** The statistics that scoring uses: values sent as null are absent. */
export type RespondentStats = Omit<Static<typeof RespondentStats>, 'reconciliationRate'> & {
  readonly reconciliationRate?: number;
};

export const WebBotAuth = Type.Object(
  {
    method: Type.String({ minLength: 1, maxLength: 16 }),
    targetUri: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'Absolute URI that the agent requested from the survey.',
    }),
    headers: Type.Object({
      signature: Type.String({ minLength: 1, maxLength: 4_096 }),
      'signature-input': Type.String({ minLength: 1, maxLength: 4_096 }),
      'signature-agent': Type.Optional(Nullable(Type.String({ maxLength: 2_048 }))),
    }),
  },
  { description: 'HTTP Message Signature (RFC 9421, Ed25519) that the respondent’s agent sent to the survey.' },
);
/** The signature that is verified: values sent as null or empty are absent. */
export interface WebBotAuth {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: {
    readonly signature: string;
    readonly 'signature-input': string;
    readonly 'signature-agent'?: string;
  };
}

/** The empty string is its absence, too. */
const OptionalId = (description: string) => Absent(Type.String({ maxLength: callerIdLengthMax, description }));

export const ScoreRequest = Type.Object(
  {
    sessionId: CallerId(
      'The caller’s id of this scoring event; byte-identical to the probe’s data-session-id. Never reuse it for another respondent: its probe data and counts would mix.',
    ),
    clientIp: Type.String({ minLength: 2, maxLength: 64, description: 'The respondent’s own IPv4 or IPv6 address.' }),
    userAgent: Absent(
      Type.String({
        description: `User-Agent of the respondent’s browser. Only the first ${userAgentLengthMax} characters are used.`,
      }),
    ),
    sourceId: OptionalId('Supplier; stable across sessions.'),
    subSourceId: OptionalId('Sub-supplier; stable across sessions.'),
    studyId: OptionalId('Study: the scope of duplicate and velocity. Without it sourceId is the scope.'),
    declaredCountry: Absent(
      CountryCodeOrEmpty(
        'Country that the respondent claims: an assigned ISO 3166-1 alpha-2 code, in either case. Never moves risk.',
      ),
    ),
    respondentId: OptionalId(`Stable id of the person, salted and hashed: ${hashHint}.`),
    ipPrefixHash: OptionalId(
      `Salted hash of the network prefix: ${hashHint}. If sent, it replaces the prefix of clientIp.`,
    ),
    deviceHash: OptionalId(`Salted hash of the device id: ${hashHint}.`),
    respondentStats: Absent(RespondentStats),
    supplierStats: Absent(
      Type.Object(RespondentStats.properties, { deprecated: true, description: 'Deprecated name of respondentStats.' }),
    ),
    webBotAuth: Absent(WebBotAuth),
    probeState: Absent(
      Type.String({
        description: `State of the probe as the page reports it: ${probeStates.join(', ')}. It explains a missing probe and never moves risk. Other values are ignored.`,
      }),
    ),
    deadlineMs: Absent(
      Type.Integer({
        minimum: 20,
        maximum: 2_000,
        description:
          'Milliseconds to wait for what a score can do without. What is not there by then is left out and named in degradedSignals.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ScoreRequest = Static<typeof ScoreRequest>;

/** A request as it is scored: what was sent as null or empty is absent. */
export type ScoreInput = Pick<ScoreRequest, 'sessionId' | 'clientIp'> & {
  readonly [
    Name in
      | 'userAgent'
      | 'sourceId'
      | 'subSourceId'
      | 'studyId'
      | 'declaredCountry'
      | 'respondentId'
      | 'ipPrefixHash'
      | 'deviceHash'
  ]?: string;
} & {
  readonly respondentStats?: RespondentStats;
  readonly supplierStats?: RespondentStats;
  readonly webBotAuth?: WebBotAuth;
  readonly probeState?: ProbeState;
};

export const Finding = Type.Object({
  code: Type.String({ description: 'Stable code, listed in docs/reference/findings.md.' }),
  class: StringEnum(findingClasses),
  axis: StringEnum(axes),
  severity: StringEnum(severities),
  strength: StringEnum(strengths, { description: 'Weight of the finding. none: it was not scored.' }),
  detail: Type.String({ description: 'The finding in one sentence.' }),
});
export type Finding = Static<typeof Finding>;

export const EvidenceBlock = Type.Object({
  summary: Type.String({ description: 'The verdict in words; never empty.' }),
  against: Type.Array(Finding, { description: 'Findings that raised the risk.' }),
  for: Type.Array(Finding, { description: 'Findings in the respondent’s favor.' }),
  notes: Type.Array(Finding, { description: 'Findings that were not scored.' }),
});
export type EvidenceBlock = Static<typeof EvidenceBlock>;

export const Reason = Type.Object({
  code: Type.String(),
  severity: StringEnum(severities),
  detail: Type.String(),
  scored: Type.Boolean({ description: 'Whether the reason counted. false: it was not scored.' }),
});
export type Reason = Static<typeof Reason>;

const CountOrNull = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, description: `${description} null: not measured.` }));

export const DuplicateReply = Type.Object({
  score: Percent('Duplication, the same number as duplicateScore.'),
  band: StringEnum(duplicateBands),
  measured: Type.Boolean({ description: 'false: score and band mean nothing.' }),
  reasons: Type.Array(Reason),
  evidence: Type.Object({
    deviceSessionsDay: CountOrNull('Sessions of this device in the scope in 24 h.'),
    deviceRespondentsDay: CountOrNull('Distinct respondents on this device in the scope in 24 h.'),
    respondentDay: CountOrNull('Sessions of this respondent in the scope in 24 h.'),
    respondentDevicesWeek: CountOrNull('Distinct devices of this respondent in the scope in 7 days.'),
  }),
});
export type DuplicateReply = Static<typeof DuplicateReply>;

export const IndependenceReply = Type.Object({
  score: Percent('100: fully independent of the other sessions.'),
  band: StringEnum(independenceBands),
  measured: Type.Boolean({ description: 'false: too few sessions to judge; score and band mean nothing yet.' }),
  grade: Nullable(StringEnum(['direct', 'linked'] as const)),
  factors: Type.Array(Type.String()),
});
export type IndependenceReply = Static<typeof IndependenceReply>;

/** The six axes, each 0-100. */
export const Categories = Type.Object({
  network: Percent('Risk of the address and its network.'),
  device: Percent('Risk of the browser and device.'),
  velocity: Percent('Risk of rates and bursts.'),
  duplicate: Percent('Duplication; not part of risk.'),
  behavior: Percent('Risk of how the page was used.'),
  history: Percent('Risk of earlier outcomes.'),
});

/** A probability of fraud, with the range in which 90% of the simulated markets of the fit lie. */
export const FraudProbability = Type.Object(
  {
    value: unit('Share of sessions with this balance of evidence that are fraudulent.'),
    low: unit('Low end of the range for 90% of simulated markets.'),
    high: unit('High end of the range for 90% of simulated markets.'),
  },
  {
    description:
      'Probability of fraud, 0-1, calibrated on simulated sessions. null: counts, history or probe could not be read, the key has no project, or the respondent is a verified agent. Only geoRiskWeights and recalibration move it. With recalibration, the range is the 95% interval of the project’s labels.',
  },
);
export type FraudProbability = Static<typeof FraudProbability>;

export const ScoreReply = Type.Object({
  score: Percent('Risk without duplication; higher is riskier.'),
  probability: Nullable(FraudProbability),
  falseBlockPercentile: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'Percentage of the honest simulated sessions that score lower under default settings. 100 less this is the percentage of honest sessions that a block from this score on would stop. null: as with probability.',
    }),
  ),
  duplicateScore: Percent('Duplication.'),
  duplicate: DuplicateReply,
  independence: IndependenceReply,
  declaredCountryMatch: Nullable(Type.Boolean({ description: 'null: not measured.' })),
  recommendation: StringEnum(recommendations),
  verdictClass: StringEnum(verdictClasses),
  categories: Categories,
  reasons: Type.Array(Reason),
  evidence: EvidenceBlock,
  degradedSignals: Type.Array(StringEnum(degradedSignals)),
  grlCompat: Type.Object({
    forensicMaxScore: Type.Integer({ minimum: 0, maximum: 100, description: '0, 50, 75 or 100.' }),
    categories: Type.Record(Type.String(), Type.Integer(), { description: 'The risk axes on the same bands.' }),
  }),
  assuranceAvailable: Type.String({ description: 'can_step_up_to_biometric, can_step_up_to_captcha or none.' }),
  stepUpIntensity: StringEnum(['none', 'light', 'heavy'] as const),
  ceilings: Type.Array(StringEnum(ceilings), {
    description:
      'Caps on the score, which the summary explains. uncorroborated: one axis alone stays below the block band. policy: noProbeRiskScore or newUserPosture applied. dispositive: a signal of dispositiveSignals decided.',
  }),
  sessionId: Type.String(),
  receiptId: Type.String({ description: 'Signed audit reference.' }),
  replayed: Type.Boolean({
    description: 'Whether this is the receipt of an earlier, identical call. Then nothing was counted again.',
  }),
  supersedes: Nullable(
    Type.String({
      description:
        'Previous receipt of this session within two days. An identical retry after a rules upgrade gets a new receipt that names the first one here. If the counters answered late, this is the receipt that they counted; an identical retry returns it.',
    }),
  ),
});
export type ScoreReply = Static<typeof ScoreReply>;

export const EvidenceReply = Type.Object({
  receiptId: Type.String(),
  sessionId: Type.String(),
  scoredAt: Timestamp,
  evidence: EvidenceBlock,
  verdict: Type.Pick(
    ScoreReply,
    [
      ...(['score', 'recommendation', 'verdictClass', 'categories', 'duplicate'] as const),
      ...(['independence', 'declaredCountryMatch', 'degradedSignals', 'ceilings'] as const),
      ...(['probability', 'falseBlockPercentile'] as const),
    ],
    {
      description: 'The verdict that follows from the same facts. If provenance is faithful, that of the scoring time.',
    },
  ),
  provenance: Type.Object({
    faithful: Type.Boolean({ description: 'true: every finding is sorted exactly as at scoring time.' }),
    note: Type.String(),
    modelVersion: Type.String({ description: 'Hash of the rule set that rendered this evidence.' }),
    scoredAt: Timestamp,
  }),
});
export type EvidenceReply = Static<typeof EvidenceReply>;
