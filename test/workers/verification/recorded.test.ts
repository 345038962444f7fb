/** Judges measurements of real models on a computed person and on substitutes: a person who does what is asked passes, and nothing else. */
import t from 'tap';
import type { Verdict } from '../../../src/contract/verdict.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { recordedFacts, type RecordedName } from '../../helpers/recorded-captures.js';

const judge = (name: RecordedName): Verdict => judgeSession(recordedFacts(name)).verdict;
const typesOf = ({ fraudSignals }: Verdict): string[] => fraudSignals.map(({ type }) => type);

t.test('a moving face that does what is asked passes', async (t) => {
  const verdict = judge('person');
  t.match(verdict, { status: 'pass', assuranceLevel: 'biometric' }, 'verdict', { verdict });
  t.ok((verdict.scores.liveness ?? 0) >= 0.8, 'liveness', verdict.scores);
});

t.test('a moving face that does nothing of what is asked fails on liveness', async (t) => {
  const verdict = judge('unanswering');
  t.match(verdict, { status: 'fail', assuranceLevel: 'biometric' });
  t.ok((verdict.scores.liveness ?? 1) < 0.5, 'liveness', verdict.scores);
});

t.test('a clip that turns, blinks and smiles, in a circle', async (t) => {
  const verdict = judge('looped');
  t.equal(verdict.status, 'fail');
  t.ok(typesOf(verdict).includes('looped_frames'), typesOf(verdict).join());
});

t.test('a face on a telephone held to the camera, even one that does what is asked', async (t) => {
  const verdict = judge('telephone');
  t.equal(verdict.status, 'fail');
  t.ok(typesOf(verdict).includes('screen_detected'), typesOf(verdict).join());
});

t.test('a photograph that is waved and tilted before the camera', async (t) => {
  const verdict = judge('waved');
  t.equal(verdict.status, 'fail');
  t.ok((verdict.scores.liveness ?? 1) < 0.5, 'liveness', verdict.scores);
});
