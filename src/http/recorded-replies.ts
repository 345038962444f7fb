/**
 * Recorded replies as examples for the API document: verdicts of a score, and each error once. `npm run replies` records them, and a test
 * fails if the service answers differently. Ids and times that differ per call are replaced.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package-root.js';

export interface RecordedReplies {
  /** Bodies of a score by example name. */
  readonly score: Readonly<Record<string, object>>;
  /** Error bodies by status, then by code. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export const repliesPath = 'src/http/recorded-replies.json';

const recorded = JSON.parse(readFileSync(join(packageRoot, repliesPath), 'utf8')) as RecordedReplies;

/** As the examples of a media type. */
const asExamples = (bodies: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(bodies).map(([name, value]) => [name, { value }]));

/** Examples for the schema of a score’s reply. */
export const scoreReplyExamples = { 'x-examples': asExamples(recorded.score) };

/** Examples for the schema of an error reply; none if no reply with its status was recorded. */
export function errorExamples(status: number): object {
  const bodies = recorded.errors[status];
  return bodies === undefined ? {} : { 'x-examples': asExamples(bodies) };
}
