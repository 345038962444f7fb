/**
 * A message of the probe as it waits for its score, and as the record of the score keeps it.
 */
import type { ProbeFacts } from '../contract/facts.js';
import { packParts } from './pack-value.js';
import { splitParts, start } from './parts.js';
import { messageShape } from './shapes.js';
import { unpackPart } from './unpack-value.js';

export const packMessage = (message: ProbeFacts): Uint8Array => packParts(start, [[messageShape, message]]);

export const openMessage = (packed: Uint8Array): ProbeFacts =>
  unpackPart(messageShape, splitParts(packed), 0) as ProbeFacts;
