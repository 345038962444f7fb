/** The payload of an event: one table says which field is in which version, and when. A field whose condition does not hold is absent. */
import { postbackType, type DeliveredEvent, type DeliveredType } from '../contract/postback.js';
import {
  verificationEventTypes,
  type SessionEvent,
  type VerificationEvent,
  type VerificationFacts,
} from '../contract/session-event.js';
import { payloadVersions, type PayloadVersion } from '../contract/webhook.js';

interface Field {
  readonly name: string;
  readonly versions: readonly PayloadVersion[];
  readonly value: (event: VerificationEvent) => unknown;
  /** When it is there, in words for the documentation; absent: always. */
  readonly when?: string;
  readonly isPresent?: (event: VerificationEvent) => boolean;
}

const both = payloadVersions;
const v2Only = ['v2'] as const;

const fact = (name: keyof VerificationFacts, versions: readonly PayloadVersion[]): Field => ({
  name,
  versions,
  value: ({ data }) => data[name],
});
const factWhere = (
  name: keyof VerificationFacts,
  when: string,
  isPresent: (event: VerificationEvent) => boolean,
): Field => ({ ...fact(name, v2Only), when, isPresent });
const factIfAny = (name: keyof VerificationFacts, when: string): Field =>
  factWhere(name, when, ({ data }) => data[name] !== null);

/** Scoring answers neither pass nor fail: there the category says that the verdict is not clean. */
const isFail = ({ data }: VerificationEvent): boolean =>
  data.status === 'fail' ||
  data.status === 'score_blocked' ||
  (data.status === 'scored' && data.failure_category !== null);
const isScored = ({ type }: VerificationEvent): boolean => type === 'verification.scored';

const verificationFields: readonly Field[] = [
  { name: 'session_id', versions: both, value: ({ sessionId }) => sessionId },
  { name: 'project_id', versions: both, value: ({ projectId }) => projectId },
  fact('status', both),
  fact('scores', both),
  fact('respondent_id', v2Only),
  fact('study_id', v2Only),
  fact('link_id', v2Only),
  fact('mode', v2Only),
  fact('metadata', v2Only),
  { name: 'timestamp', versions: v2Only, value: ({ occurredAt }) => occurredAt },
  fact('fraud_signals', v2Only),
  fact('failure_reasons', v2Only),
  fact('summary', v2Only),
  factWhere('failure_category', 'unless the verdict is clean', isFail),
  factWhere(
    'duplicate_match',
    'where failure_category is duplicate',
    (event) => isFail(event) && event.data.failure_category === 'duplicate',
  ),
  fact('demographics', v2Only),
  fact('is_duplicate', v2Only),
  fact('low_quality', v2Only),
  fact('high_fraud_risk', v2Only),
  fact('assuranceLevel', both),
  fact('verificationOutcome', both),
  fact('biometricEvidence', v2Only),
  factIfAny('risk', 'where the project shows risk'),
  factIfAny('duplication', 'where the project shows risk'),
  factIfAny('data_collector', 'where the session has one'),
  factIfAny('step_up_for', 'on a step-up'),
  factIfAny('prior_participation', 'for a returning participant'),
  { ...fact('risk_score', both), when: 'on verification.scored', isPresent: isScored },
  { ...fact('recommended_decision', both), when: 'on verification.scored', isPresent: isScored },
  {
    name: 'is_demo',
    versions: both,
    value: () => true,
    when: 'where the session belongs to a test or demo key',
    isPresent: ({ isDemo }) => isDemo,
  },
];

/** The body of a delivery as an object: `{ event, data }`. */
export function payloadOf(
  event: DeliveredEvent,
  version: PayloadVersion,
): { readonly event: DeliveredType; readonly data: Record<string, unknown> } {
  if (event.type === postbackType) return { event: event.type, data: { ...event.data, ...occurrenceOf(event) } };
  return { event: event.type, data: isVerification(event) ? verificationData(event, version) : plainData(event) };
}

function verificationData(event: VerificationEvent, version: PayloadVersion): Record<string, unknown> {
  const present = verificationFields.filter(
    ({ versions, isPresent }) => versions.includes(version) && (isPresent?.(event) ?? true),
  );
  return Object.fromEntries(present.map(({ name, value }) => [name, value(event)]));
}

/** Flags and changed verdicts have one shape in both versions. */
const plainData = (event: SessionEvent): Record<string, unknown> => ({
  session_id: event.sessionId,
  project_id: event.projectId,
  ...event.data,
  ...occurrenceOf(event),
});

const occurrenceOf = ({ occurredAt, isDemo }: DeliveredEvent): Record<string, unknown> => ({
  timestamp: occurredAt,
  ...(isDemo ? { is_demo: true } : {}),
});

const isVerification = (event: SessionEvent): event is VerificationEvent =>
  verificationEventTypes.some((type) => type === event.type);
