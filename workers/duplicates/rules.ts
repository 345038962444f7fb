/**
 * Findings of the duplicate axis. None has a weight: duplication is reported apart and never moves risk.
 */
import type { Rules } from '../scoring/rule.js';

export const duplicateRules = {
  repeat_respondent: {
    axis: 'duplicate',
    class: 'correlate',
    severity: 'medium',
    weight: 0,
    group: null,
    detail: 'The same respondent was here before in this scope ({value}).',
  },
  repeat_device: {
    axis: 'duplicate',
    class: 'correlate',
    severity: 'medium',
    weight: 0,
    group: null,
    detail: 'The same device was here before in this scope ({value}).',
  },
  similar_device: {
    axis: 'duplicate',
    class: 'correlate',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'A device that looks much like this one was here before in this scope ({value}).',
  },
  device_contradiction: {
    axis: 'duplicate',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail:
      'The device’s identifier was seen on another system or on a newer browser before: it may be copied or shared by many.',
  },
  duplicate_unmeasured: {
    axis: 'duplicate',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail:
      'Nothing was there to compare with earlier sessions: no respondent id, no device, no probe, or no counters.',
  },
} as const satisfies Rules;
