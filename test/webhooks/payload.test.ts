import t from 'tap';
import { Value } from 'typebox/value';
import type { SessionEvent, VerificationFacts } from '../../src/contract/session-event.js';
import { MonitoringPayload, VerificationPayload, webhookEvents } from '../../src/contract/webhook-payload.js';
import { eventTypes } from '../../src/contract/session-event.js';
import { payloadOf } from '../../src/webhooks/payload.js';
import { passedFacts, verificationEvent } from '../helpers/session-events.js';

const owner = { organizationId: 'org_1', projectId: 'proj_1' };
const dataOf = (version: 'v1' | 'v2', facts: Partial<VerificationFacts>, envelope = {}): Record<string, unknown> =>
  payloadOf(verificationEvent(owner, facts, envelope), version).data;
const always = [
  ...['session_id', 'project_id', 'status', 'scores', 'respondent_id', 'metadata', 'timestamp', 'fraud_signals'],
  ...['failure_reasons', 'summary', 'demographics', 'is_duplicate', 'low_quality', 'high_fraud_risk'],
  ...['assuranceLevel', 'verificationOutcome', 'biometricEvidence', 'study_id', 'link_id', 'mode'],
];
const v1Fields = ['session_id', 'project_id', 'status', 'scores', 'assuranceLevel', 'verificationOutcome'];
const match = { fingerprintId: 'fp_1', similarity: 0.97 };
const everything: Partial<VerificationFacts> = {
  status: 'fail',
  failure_category: 'duplicate',
  duplicate_match: match,
  risk: { overall: 0.6, device: 0.2, biometric: null, contributions: [], droppedSignals: [], degradedSignals: [] },
  duplication: { overall: 0.9, deviceMatch: 0.9, biometricMatch: null, matchMethod: 'exact' },
  data_collector: 'field-3',
  step_up_for: 'rcpt_1',
  prior_participation: { ...match, lastSeenAt: 1 },
};

t.test('v2 on a pass has what is always there and nothing else; flat flags too', (t) => {
  t.same(Object.keys(dataOf('v2', {})).sort(), [...always].sort());
  t.end();
});

t.test('v2 shows each conditional field where its condition holds', (t) => {
  const shown = dataOf('v2', everything);
  const more = [
    'failure_category',
    'duplicate_match',
    'risk',
    'duplication',
    'data_collector',
    'step_up_for',
    'prior_participation',
  ];
  t.same(Object.keys(shown).sort(), [...always, ...more].sort());
  t.same(
    Object.keys(dataOf('v2', { status: 'fail', failure_category: 'liveness' })).sort(),
    [...always, 'failure_category'].sort(),
  );
  t.same(
    dataOf('v2', { status: 'fail', failure_category: null })['failure_category'],
    null,
    'null on a fail of no category',
  );
  t.notOk('failure_category' in dataOf('v2', { failure_category: 'liveness' }), 'absent means pass');
  t.equal(dataOf('v2', { is_duplicate: true })['is_duplicate'], true, 'also on a pass');
  t.end();
});

t.test('the documented payload has the fields of v2, and each that is not always there is optional', (t) => {
  const facts = { ...everything, risk_score: 0.2, recommended_decision: 'allow', status: 'score_blocked' } as const;
  const full = dataOf('v2', facts, { type: 'verification.scored', isDemo: true });
  t.same(Object.keys(VerificationPayload.properties).sort(), Object.keys(full).sort());
  t.same([...VerificationPayload.required].sort(), [...always].sort());
  for (const data of [full, dataOf('v2', {})])
    t.same(Value.Errors(VerificationPayload, JSON.parse(JSON.stringify(data))), []);
  t.same(Object.keys(webhookEvents).sort(), [...eventTypes].sort());
  t.end();
});

t.test('v1 omits what the contract lists, whatever the facts are, and keeps the nulls of the scores', (t) => {
  t.same(Object.keys(dataOf('v1', everything)).sort(), [...v1Fields].sort());
  const scores = { ...passedFacts.scores, liveness: null, uniqueness: null };
  t.same(dataOf('v1', { scores })['scores'], scores);
  t.same(dataOf('v2', { scores })['scores'], scores);
  t.end();
});

t.test('verification.scored carries risk_score and recommended_decision, other events do not', (t) => {
  const facts = { status: 'scored', risk_score: 0.2, recommended_decision: 'allow' } as const;
  t.match(dataOf('v2', facts, { type: 'verification.scored' }), facts);
  t.notOk('risk_score' in dataOf('v2', facts));
  t.end();
});

t.test('verification.scored has the category of a verdict that is not clean, whatever its status is called', (t) => {
  const categoryOf = (facts: Partial<VerificationFacts>): unknown =>
    dataOf('v2', facts, { type: 'verification.scored' })['failure_category'];
  for (const status of ['scored', 'score_blocked'] as const)
    t.equal(categoryOf({ status, recommended_decision: 'block', failure_category: 'authenticity' }), 'authenticity');
  t.equal(
    categoryOf({ status: 'scored', recommended_decision: 'review', failure_category: 'fraud_signal' }),
    'fraud_signal',
  );
  t.equal(categoryOf({ status: 'scored', recommended_decision: 'allow', failure_category: null }), undefined);
  t.end();
});

t.test('the world of test and demo keys says so', (t) => {
  t.equal(dataOf('v2', {}, { isDemo: true })['is_demo'], true);
  t.notOk('is_demo' in dataOf('v2', {}));
  t.end();
});

t.test('flags have their own shape', (t) => {
  const { data: _data, type: _type, ...envelope } = verificationEvent(owner);
  const anomaly = { type: 'automation', score: 0.9, threshold: 0.8, detail: 'no pointer' };
  const flagged: SessionEvent = { ...envelope, type: 'monitoring.flagged', data: { respondent_id: null, anomaly } };
  t.same(Value.Errors(MonitoringPayload, payloadOf(flagged, 'v2').data), []);
  t.same(payloadOf(flagged, 'v2'), {
    event: 'monitoring.flagged',
    data: {
      session_id: envelope.sessionId,
      project_id: 'proj_1',
      respondent_id: null,
      anomaly,
      timestamp: envelope.occurredAt,
    },
  });
  t.end();
});
