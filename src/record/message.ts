/**
 * A message of the probe as it waits for its score, and as the record of the score keeps it.
 */
import { pack, unpack } from 'msgpackr';
import type { ProbeFacts } from '../contract/facts.js';
import { packParts } from './pack-value.js';
import { isMarked, splitParts, start } from './parts.js';
import { messageShape } from './shapes.js';
import type { RecordFormat } from './types.js';
import { unpackPart } from './unpack-value.js';

export const packMessage = (message: ProbeFacts, format: RecordFormat): Uint8Array =>
  format === 1 ? new Uint8Array(pack(message)) : packParts(start, [[messageShape, message]]);

export function openMessage(packed: Uint8Array): ProbeFacts {
  if (!isMarked(packed)) return unpack(packed) as ProbeFacts;
  return unpackPart(messageShape, splitParts(packed), 0) as ProbeFacts;
}
