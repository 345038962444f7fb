/**
 * A message of the probe as it waits for its score, and as the record of the score keeps it.
 */
import type { ProbeFacts } from '../contract/facts.js';
import { appendParts, packPart, readParts, start } from './codec.js';
import { messageShape } from './shapes.js';

export const packMessage = (message: ProbeFacts): Uint8Array => appendParts(start, packPart(messageShape, message));

export const openMessage = (packed: Uint8Array): ProbeFacts => messageShape.decode(readParts(packed)[0]) as ProbeFacts;
