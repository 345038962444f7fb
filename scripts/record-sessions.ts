/** Writes the verdicts of the rules in force into test/workers/scoring/reference-sessions.jsonl, and prints what changes. */
import { compareReferences, readReferenceSessions, writeReferences } from '../test/helpers/reference-sessions.js';

const sessions = readReferenceSessions();
console.log(compareReferences(sessions) ?? 'No verdict changed.');
writeReferences(sessions);
