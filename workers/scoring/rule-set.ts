/**
 * Every rule of the model, and the hash that names what a verdict depends on besides the facts. Raise `revision` when code outside the
 * tables and thresholds changes a decision.
 */
import { createHash } from 'node:crypto';
import { components, sketchThresholds } from '../duplicates/sketch.js';
import { duplicateThresholds, duplicateRules } from '../duplicates/duplication.js';
import { independenceThresholds } from '../duplicates/independence.js';
import { behaviorThresholds, behaviorRules } from './behavior-rules.js';
import { claimRules, claimThresholds } from './claims.js';
import { movementThresholds } from '../duplicates/movement.js';
import { comparisons, platformStarts, privacySubjects } from './device.js';
import { deviceThresholds, deviceRules } from './device-rules.js';
import { historyThresholds, historyRules } from './history.js';
import { model, type Rules } from './model.js';
import fit from './model.json' with { type: 'json' };
import { countries, networkRules, networkThresholds, usualRegions } from './network.js';
import { velocityThresholds, velocityRules } from './velocity.js';
import { measuredThresholds } from './visit.js';
import { stepUpRules, stepUpThresholds } from './step-up.js';
import { integrationRules, measurementRules } from './diagnostics.js';

const tables = {
  ...networkRules,
  ...deviceRules,
  ...velocityRules,
  ...behaviorRules,
  ...claimRules,
  ...historyRules,
  ...stepUpRules,
  ...measurementRules,
  ...integrationRules,
  ...duplicateRules,
};

export type FindingCode = keyof typeof tables;
export const rules: Rules = tables;

const revision = 11;

/** 16 hex digits. */
export const modelVersion: string = createHash('sha256')
  .update(
    JSON.stringify([
      revision,
      model,
      fit.cleanProbability,
      fit.calibration,
      fit.honestBelow,
      fit.weights,
      rules,
      components,
      networkThresholds,
      deviceThresholds,
      velocityThresholds,
      behaviorThresholds,
      claimThresholds,
      movementThresholds,
      historyThresholds,
      stepUpThresholds,
      duplicateThresholds,
      independenceThresholds,
      measuredThresholds,
      sketchThresholds,
      privacySubjects,
      platformStarts,
      comparisons,
      countries,
      usualRegions,
    ]),
  )
  .digest('hex')
  .slice(0, 16);
