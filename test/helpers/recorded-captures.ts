/**
 * Captures that real Chromium made of a computed person through the service's own models, kept as the service gets them: what the page sent of
 * its camera, and its calls for challenges. `npm run captures` makes them again, after a change of what a page measures.
 */
import { readFileSync } from 'node:fs';
import type { Envelope, EnvelopeFrames } from '../../src/contract/envelope.js';
import type { ChallengeCall } from '../../src/contract/session.js';
import type { VerdictFacts } from '../../src/contract/verdict.js';
import type { Participant } from './capture-session.js';
import { repositoryPath } from './repository.js';
import { deviceEnvelope, factsOf } from './verdict-facts.js';

export interface RecordedCapture {
  readonly envelope: Partial<Envelope>;
  readonly challengeCalls: readonly ChallengeCall[];
}

/** A page need not wait as long as a person may take: less for who answers nothing, and for a loop to come round, than for who answers. */
const patienceMs = { still: 2_500, looped: 5_000, waved: 4_000 };

/** The person or thing before the camera in each of them. */
export const recordedParticipants = {
  person: { answering: true, face: { seed: 11 } },
  unanswering: { answering: false, face: {}, patienceMs: patienceMs.still },
  looped: {
    answering: false,
    face: {},
    clip: [60, { 4: 'blink', 14: 'turn_left', 38: 'smile' }],
    patienceMs: patienceMs.looped,
  },
  telephone: { answering: true, face: { screen: true }, camera: { framesPerSecond: 12 } },
  waved: { answering: true, face: { flat: true }, patienceMs: patienceMs.waved },
} as const satisfies Readonly<Record<string, Participant>>;

export type RecordedName = keyof typeof recordedParticipants;

/** The answers to be recorded of a person whom chance asks for no turn. */
export const withoutTurn = ['smile', 'nod', 'blink'] as const;

export const recordedPath = (name: RecordedName | 'without-turn'): string =>
  repositoryPath(`test/workers/verification/captures/${name}.json`);

/** The facts of a recorded capture: no similar person, and nothing seen before. */
export function recordedFacts(name: RecordedName): VerdictFacts {
  const { envelope, challengeCalls } = JSON.parse(readFileSync(recordedPath(name), 'utf8')) as RecordedCapture;
  const times = challengeCalls.map(({ atMs }) => atMs);
  return factsOf(deviceEnvelope(envelope), {
    challengeCalls,
    challengeCount: challengeCalls.filter(({ reply }) => !('done' in reply)).length,
    issuedAtMs: Math.min(...times) - 1_000,
    receivedAtMs: Math.max(...times) + 5_000,
  });
}

/** The frames of those answers. */
export const readFramesWithoutTurn = (): EnvelopeFrames =>
  JSON.parse(readFileSync(recordedPath('without-turn'), 'utf8')) as EnvelopeFrames;
