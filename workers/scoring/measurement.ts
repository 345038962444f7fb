/**
 * What could not be measured, as degraded signals and as findings that inform. Missing is never evidence: only a missing probe
 * may weigh, and only where the project said so.
 */
import type { DegradedSignal } from '../../src/contract/score.js';
import { weightOf } from './model.js';
import { createRaise, type Rules, type Signal } from './rule.js';
import type { Visit } from './visit.js';

export const measurementRules = {
  client_probe_missing: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 9,
    group: null,
    detail: 'No on-page probe arrived for this session, so device and behaviour were not measured.',
  },
  probe_unusable: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 9,
    group: null,
    detail: 'The on-page probe arrived and told too little of the device to have measured it.',
  },
  probe_unreadable: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'Whether an on-page probe arrived for this session could not be read.',
  },
  respondent_id_equals_session_id: {
    axis: 'history',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'The respondent id is the session id and was ignored; send an id that stays with the person.',
  },
  supplier_stats_deprecated_alias: {
    axis: 'history',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail: 'supplierStats is the old name of respondentStats.',
  },
  geo_unavailable: {
    axis: 'network',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail: 'The country of the address is not known.',
  },
  network_unavailable: {
    axis: 'network',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail: 'The network that the address belongs to is not known.',
  },
  counters_unavailable: {
    axis: 'velocity',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'Rates and duplicates could not be counted for this session.',
  },
  history_unavailable: {
    axis: 'history',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'Earlier outcomes could not be read for this session.',
  },
} as const satisfies Rules & Record<DegradedSignal, unknown>;

const raise = createRaise(measurementRules);

/** Degraded signals in the order of their discovery, each once. */
export function findDegraded({ facts, deviceMeasured, pages }: Visit): readonly DegradedSignal[] {
  const found = new Set(facts.degraded);
  if (facts.probeRead === false) found.add('probe_unreadable');
  else if (pages.length === 0) found.add('client_probe_missing');
  else if (!deviceMeasured) found.add('probe_unusable');
  const { country, asn, network, range } = facts.address;
  if (country === null && range === 'public') found.add('geo_unavailable');
  if (asn === null && network === null && range === 'public') found.add('network_unavailable');
  if (facts.measured && facts.counts === null) found.add('counters_unavailable');
  if (facts.measured && facts.history === null) found.add('history_unavailable');
  return [...found];
}

/** `ceiling` is the highest score that absence may lead to. */
export function weighMeasurement(visit: Visit, degraded: readonly DegradedSignal[], ceiling: number): Signal[] {
  const signals: Signal[] = [];
  const absent = degraded.find(
    (code) => !visit.deviceMeasured && (code === 'probe_unusable' || code === 'client_probe_missing'),
  );
  for (const code of degraded) {
    raise(signals, code, code === absent ? weightOf(Math.min(visit.facts.calibration.noProbeRiskScore, ceiling)) : 0);
  }
  return signals;
}
