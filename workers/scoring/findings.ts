/**
 * Every rule of the model, merged from the axes: the one table that documentation and the hash of the rule set derive from.
 */
import { duplicateRules } from '../duplicates/rules.js';
import { behaviorRules } from './behavior-rules.js';
import { deviceRules } from './device-rules.js';
import { historyRules } from './history.js';
import { integrationRules } from './integration.js';
import { measurementRules } from './measurement.js';
import { networkRules } from './network.js';
import type { Rules } from './rule.js';
import { velocityRules } from './velocity.js';

export const rules: Rules = {
  ...networkRules,
  ...deviceRules,
  ...velocityRules,
  ...behaviorRules,
  ...historyRules,
  ...measurementRules,
  ...integrationRules,
  ...duplicateRules,
};
