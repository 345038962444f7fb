import fc from 'fast-check';
import t from 'tap';
import { createRandom } from '../../workers/seeded-random.js';
import { actLikePerson, actLikeRobot } from './input.js';

const targets = [
  { x: 400, y: 110 },
  { x: 400, y: 250 },
];

t.test('the same seed acts the same, another seed differently', (t) => {
  t.strictSame(actLikePerson(targets, 'hello', 7), actLikePerson(targets, 'hello', 7));
  t.notSame(actLikePerson(targets, 'hello', 7), actLikePerson(targets, 'hello', 8));
  t.end();
});

t.test('every target is pressed once and every key released, whatever the seed', (t) => {
  const count = (commands: readonly string[], word: string) => commands.filter((command) => command === word).length;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const commands = actLikePerson(targets, 'hello', seed);
      return (
        count(commands, 'mousedown') === 2 &&
        count(commands, 'mouseup') === 2 &&
        count(commands, 'keydown') === 5 &&
        count(commands, 'keyup') === 5
      );
    }),
  );
  t.equal(count(actLikeRobot(targets, 'hello'), 'key'), 5);
  t.end();
});

t.test('random numbers lie from 0 up to 1', (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = createRandom(seed);
      return Array.from({ length: 50 }, random).every((value) => value >= 0 && value < 1);
    }),
  );
  t.end();
});
