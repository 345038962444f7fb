/**
 * Names the rule set: a hash of everything that a verdict depends on beside the facts. Tables and edges are hashed as they stand;
 * `revision` goes up when code that they do not show changes what it decides.
 */
import { createHash } from 'node:crypto';
import { components } from '../duplicates/components.js';
import { duplicateEdges } from '../duplicates/device.js';
import { independenceEdges } from '../duplicates/independence.js';
import { sketchEdges } from '../duplicates/sketch.js';
import { behaviorEdges } from './behavior-rules.js';
import { comparisons, platformStarts, privacySubjects } from './device.js';
import { deviceEdges } from './device-rules.js';
import { rules } from './findings.js';
import { historyEdges } from './history.js';
import { model } from './model.js';
import { countries } from './continents.js';
import { velocityEdges } from './velocity.js';
import { measuredEdges } from './visit.js';

const revision = 3;

/** 16 hex digits. */
export const modelVersion: string = createHash('sha256')
  .update(
    JSON.stringify([
      revision,
      model,
      rules,
      components,
      deviceEdges,
      velocityEdges,
      behaviorEdges,
      historyEdges,
      duplicateEdges,
      independenceEdges,
      measuredEdges,
      sketchEdges,
      privacySubjects,
      platformStarts,
      comparisons,
      countries,
    ]),
  )
  .digest('hex')
  .slice(0, 16);
