import t from 'tap';
import fc from 'fast-check';
import { applyCaps, ceilingOf } from '../../../workers/scoring/caps.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';

t.test('the ceiling is the highest whole score below the block band', (t) => {
  t.same([75, 74.5, 1, 0].map(ceilingOf), [74, 74, 0, 0]);
  t.end();
});

t.test('each cap does what its name says', (t) => {
  t.equal(applyCaps(90, [], 75), 90);
  t.equal(applyCaps(90, ['uncorroborated'], 75), 74);
  t.equal(applyCaps(60, ['dispositive'], 75), 75);
  t.equal(applyCaps(99, ['policy:30'], 75), 74, 'policy leads below the block band');
  t.equal(applyCaps(99, ['policy:80'], 75), 80, 'and hides no evidence');
  t.equal(applyCaps(99, ['uncorroborated', 'policy:80'], 75), 74);
  t.equal(applyCaps(50, ['a name of tomorrow'], 75), 50);
  t.end();
});

t.test('the recorded score before caps leads to the score that was answered', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, uncapped, caps } = scoreFacts(facts);
      return applyCaps(uncapped, caps, facts.calibration.blockThreshold) === reply.score;
    }),
  );
  t.end();
});
