/**
 * What a request says of how the caller is integrated: names that mean nothing, identities that were not hashed, a key that measures nothing, a
 * probe under another session id. All of it informs and none of it weighs.
 */
import { createRaise, type Rules, type Signal } from './rule.js';
import type { Visit } from './visit.js';

export const integrationRules = {
  unknown_fields: {
    axis: 'history',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'The request holds names that mean nothing here and were not looked at: {value}.',
  },
  identity_not_hashed: {
    axis: 'history',
    class: 'diagnostic',
    severity: 'medium',
    weight: 0,
    group: null,
    detail:
      'These fields look like the identity itself and not like a salted hash of it: {value}. Nothing of it was kept as it came; send the hash.',
  },
  organization_key: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail:
      'The key is one of the organization: it belongs to no project, so that nothing is counted and no probe is found. A key of the project measures.',
  },
  probe_elsewhere: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'No probe came for this session, but one came from the same address shortly before: {value}.',
  },
  fixed_session_live: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail:
      'This session id has a fixed answer with a test or demo key. The key is a live one, to which it is an id like any other.',
  },
} as const satisfies Rules;

const raise = createRaise(integrationRules);

export function weighIntegration({ facts, pages }: Visit): Signal[] {
  const signals: Signal[] = [];
  const { unknownFields = [], unhashed = [], probeElsewhere = null, isFixedSession = false } = facts.integration ?? {};
  if (unknownFields.length > 0) raise(signals, 'unknown_fields', 0, unknownFields.join(', '));
  if (unhashed.length > 0) raise(signals, 'identity_not_hashed', 0, unhashed.join(', '));
  if (!facts.measured) raise(signals, 'organization_key');
  const missing = facts.measured && facts.probeRead !== false && pages.length === 0;
  if (missing && probeElsewhere !== null) raise(signals, 'probe_elsewhere', 0, probeElsewhere);
  if (isFixedSession) raise(signals, 'fixed_session_live');
  return signals;
}
