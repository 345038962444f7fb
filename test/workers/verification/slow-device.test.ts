/**
 * A person on a slow device and a bad line: page and workers throttled six times, so that a camera of 5 frames a second gives 2 to 4 that come unevenly,
 * and up to 400 ms of delay on each request and each answer.
 */
import t from 'tap';
import type { ChallengeCall } from '../../../src/contract/session.js';
import { challengeTypes, type ChallengeType } from '../../../src/contract/verdict.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman, challengesOf } from '../../helpers/captures.js';
import { capturedFacts } from '../../helpers/verdict-facts.js';

const people = 40;
const delayMsMax = 400;
/** The time of a request and its answer; until then the next challenge is not shown. */
const gapMs = 2 * delayMsMax;

/** When the service hears of calls that the page makes without delay. */
const delayed = (calls: readonly ChallengeCall[], random: () => number): ChallengeCall[] =>
  calls.map((call) => {
    const isLast = 'done' in call.reply;
    const delayMs = random() * delayMsMax;
    return { ...call, atMs: call.atMs + (isLast ? delayMs : -delayMs) };
  });

function judgeSlowly(seed: number, framesPerSecond: number, asked: readonly ChallengeType[]) {
  const random = createRandom(seed);
  const types = Array.from({ length: 3 }, () => asked[Math.floor(random() * asked.length)] ?? 'nod');
  const challenges = challengesOf(...types);
  const capture = captureHuman({
    ...{ challenges, seed, framesPerSecond, gapMs },
    ...{ unevenMs: 300 / framesPerSecond, leadMs: 1_500, shownMs: 3_500, reactionMs: 600 + 500 * random() },
  });
  const facts = capturedFacts(capture, { challenges });
  return judgeSession({ ...facts, challengeCalls: delayed(facts.challengeCalls, random) }).verdict;
}

/** A blink lasts for less than two of three frames. */
const longer = challengeTypes.filter((type) => type !== 'blink');
const rows = [
  [5, challengeTypes],
  [4, longer],
  [3, longer],
] as const;

for (const [framesPerSecond, asked] of rows)
  t.test(`at ${framesPerSecond} frames a second a person passes nine times of ten: ${asked.join(', ')}`, (t) => {
    const verdicts = Array.from({ length: people }, (_, index) => judgeSlowly(index + 1, framesPerSecond, asked));
    const failed = verdicts.filter(({ status }) => status !== 'pass');
    t.ok(failed.length <= people / 10, `${failed.length} of ${people} failed`);
    const categories = new Set(failed.map(({ failureCategory }) => failureCategory));
    categories.delete('liveness');
    t.same([...categories], [], 'who fails may try again, and is never taken for fraud');
    t.end();
  });
