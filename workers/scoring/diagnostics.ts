/**
 * Findings that inform: what could not be measured, and how the caller is integrated. Missing is never evidence; only a missing probe may
 * weigh, if the project said so.
 */
import type { DegradedSignal } from '../../src/contract/score.js';
import { createRaise, rulesOf, weightOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

const deviceNote = rulesOf('device', 'diagnostic');
const historyNote = rulesOf('history', 'diagnostic');
const networkNote = rulesOf('network', 'diagnostic');
const velocityNote = rulesOf('velocity', 'diagnostic');

export const measurementRules = {
  client_probe_missing: deviceNote('low', 9, 'No probe data arrived. Only the request was measured.'),
  client_probe_blocked: deviceNote(
    'info',
    0,
    'The page reports that its probe could not run or send ({value}). Blockers and strict settings do that, too.',
  ),
  client_probe_late: deviceNote(
    'info',
    0,
    'The page reports that its probe sent data. It came after the score, or for another session id or project.',
  ),
  organization_key: deviceNote(
    'low',
    0,
    'An organization key scores without counters and probe data. Use a project key.',
  ),
  probe_unusable: deviceNote('low', 9, 'The probe sent too little data to measure the device.'),
  probe_unreadable: deviceNote('low', 0, 'The probe data of this session could not be read.'),
  respondent_id_equals_session_id: historyNote(
    'low',
    0,
    'The respondentId equals the sessionId and was ignored. Send an id that stays with the person.',
  ),
  supplier_stats_deprecated_alias: historyNote('info', 0, 'supplierStats is deprecated. Send respondentStats.'),
  geo_unavailable: networkNote('info', 0, 'The country of the IP address is unknown.'),
  network_unavailable: networkNote('info', 0, 'The network of the IP address is unknown.'),
  counters_unavailable: velocityNote('low', 0, 'Rates and duplicates could not be counted for this session.'),
  history_unavailable: historyNote('low', 0, 'Earlier outcomes could not be read for this session.'),
  step_ups_unavailable: historyNote('low', 0, 'The result of an earlier step-up could not be read.'),
} satisfies Rules & Record<DegradedSignal, unknown>;

export const integrationRules = {
  unknown_fields: historyNote('low', 0, 'The request has unknown fields, which were ignored: {value}.'),
  identity_not_hashed: historyNote(
    'medium',
    0,
    'These fields look unhashed: {value}. They were not stored as sent. Send salted hashes.',
  ),
  probe_elsewhere: deviceNote(
    'low',
    0,
    'No probe data came for this session, but recently from the same IP address: {value}.',
  ),
  fixed_session_live: deviceNote(
    'low',
    0,
    'This session id has a fixed answer only with a test or demo key. A live key scores it normally.',
  ),
} satisfies Rules;

const raise = createRaise({ ...measurementRules, ...integrationRules });

/** Degraded signals in the order of their discovery, each once. */
export function findDegraded({ facts, deviceMeasured, pages }: Visit): readonly DegradedSignal[] {
  const found = new Set(facts.degraded);
  if (!facts.measured) found.add('organization_key');
  if (facts.probeRead === false) found.add('probe_unreadable');
  else if (pages.length === 0) {
    found.add('client_probe_missing');
    const state = facts.integration?.probeState ?? null;
    if (facts.measured && state !== null) found.add(state === 'sent' ? 'client_probe_late' : 'client_probe_blocked');
  } else if (!deviceMeasured) found.add('probe_unusable');
  const { country, asn, network, range } = facts.address;
  if (country === null && range === 'public') found.add('geo_unavailable');
  if (asn === null && network === null && range === 'public') found.add('network_unavailable');
  if (facts.measured && facts.counts === null) found.add('counters_unavailable');
  if (facts.measured && facts.history === null) found.add('history_unavailable');
  return [...found];
}

/** `ceiling` is the highest score that absence may lead to; `clean`: see scoreOf. */
export function weighMeasurement(
  visit: Visit,
  degraded: readonly DegradedSignal[],
  { ceiling, clean }: { readonly ceiling: number; readonly clean: number },
): Signal[] {
  const signals: Signal[] = [];
  const absent = degraded.find(
    (code) => !visit.deviceMeasured && (code === 'probe_unusable' || code === 'client_probe_missing'),
  );
  for (const code of degraded) {
    raise(
      signals,
      code,
      code === absent ? weightOf(Math.min(visit.facts.calibration.noProbeRiskScore, ceiling), clean) : 0,
      code === 'client_probe_blocked' ? (visit.facts.integration?.probeState ?? 'unknown') : undefined,
    );
  }
  return signals;
}

export function weighIntegration({ facts, pages }: Visit): Signal[] {
  const signals: Signal[] = [];
  const { unknownFields = [], unhashed = [], probeElsewhere = null, isFixedSession = false } = facts.integration ?? {};
  if (unknownFields.length > 0) raise(signals, 'unknown_fields', 0, unknownFields.join(', '));
  if (unhashed.length > 0) raise(signals, 'identity_not_hashed', 0, unhashed.join(', '));
  const missing = facts.measured && facts.probeRead !== false && pages.length === 0;
  if (missing && probeElsewhere !== null) raise(signals, 'probe_elsewhere', 0, probeElsewhere);
  if (isFixedSession) raise(signals, 'fixed_session_live');
  return signals;
}
