/** Hash of the verdict’s tables. Raise `revision` when code outside of them changes a decision. */
import { createHash } from 'node:crypto';
import { modelVersion } from '../scoring/rule-set.js';
import { blinkEdges } from './blink.js';
import { virtualCameraNames, screenFeatures } from './screen.js';
import { challengeEdges } from './challenges.js';
import { deviceThresholds } from './device-evidence.js';
import { timingEdges } from './frame-timing.js';
import { proportions, smoothingMs } from './geometry.js';
import { gestureEdges } from './gestures.js';
import { jitterEdges } from './jitter.js';
import { layouts } from './landmarks.js';
import { otherEdges } from './other-movements.js';
import { parallaxEdges } from './parallax.js';
import { repetitionEdges } from './repetition.js';
import { raisedMin, signalRules } from './signals.js';
import { verdictTables } from './tables.js';

const revision = 3;

/** 16 hex digits. Includes scoring’s, whose rules weigh the device. */
export const verdictModelVersion: string = createHash('sha256')
  .update(
    JSON.stringify([
      revision,
      modelVersion,
      verdictTables,
      signalRules,
      raisedMin,
      layouts,
      proportions,
      smoothingMs,
      blinkEdges,
      gestureEdges,
      otherEdges,
      challengeEdges,
      parallaxEdges,
      repetitionEdges,
      jitterEdges,
      timingEdges,
      virtualCameraNames,
      screenFeatures,
      deviceThresholds,
    ]),
  )
  .digest('hex')
  .slice(0, 16);
