/** Marks of input: a replay shares them in at least three groups, strangers do not. */
import t from 'tap';
import { createRandom } from '../../../workers/seeded-random.js';
import { marksOfMovement, movementThresholds } from '../../../workers/duplicates/movement.js';
import { bounds } from '../../../src/stores/counters/bounds.js';

type Behavior = NonNullable<Parameters<typeof marksOfMovement>[0]['beh']>;
type Statistics = readonly [number, number, number, number, number];

/** Events of one visit: times between moves, turns, and so on. */
type Events = Readonly<Record<keyof typeof movementThresholds.eventsMin, readonly number[]>>;

const sampleOf = (values: readonly number[]): Statistics => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return [values.length, mean, deviation, Math.min(...values), Math.max(...values)];
};

const behaviorOf = (events: Events): Behavior =>
  Object.fromEntries(Object.entries(events).map(([name, values]) => [name, sampleOf(values)]));

/** A person has habits, of which each event departs. */
function visitOf(seed: number): Events {
  const random = createRandom(seed);
  const habit = (mean: number, spread = 0.3) => mean * Math.exp(spread * (random() + random() + random() - 1.5) * 1.15);
  const draw = (count: number, mean: number, spread = 0.45) => {
    const own = habit(mean);
    return Array.from({ length: Math.round(habit(count, 0.15)) }, () => own * Math.exp(spread * (2 * random() - 1)));
  };
  return {
    interval: draw(500, 17),
    turn: draw(500, 0.3, 1.2),
    clickDwell: draw(10, 85),
    clickSettle: draw(10, 160),
    clickCentre: draw(10, 0.4, 0.8),
    keyDwell: draw(60, 90),
    keyFlight: draw(60, 120, 0.8),
  };
}

/** Each event again, up to so much of itself longer or shorter. */
const replayOf = (events: Events, noise: number, seed: number): Events => {
  const random = createRandom(seed);
  return Object.fromEntries(
    Object.entries(events).map(([name, values]) => [
      name,
      values.map((value) => value * (1 + noise * (2 * random() - 1))),
    ]),
  ) as unknown as Events;
};

const groupsShared = (one: Events, other: Events): number => {
  const marks = new Set(marksOfMovement({ beh: behaviorOf(one) }));
  return new Set(marksOfMovement({ beh: behaviorOf(other) }).flatMap((mark) => (marks.has(mark) ? mark[0] : []))).size;
};

t.test('a replay with noise on every event is known again, strangers are not taken for one', (t) => {
  const visits = Array.from({ length: 120 }, (_, index) => visitOf(1_000 + index));
  const known = visits.filter(
    (visit, index) => groupsShared(visit, replayOf(visit, 0.05, index)) >= bounds.movementGroupsMin,
  );
  t.ok(known.length >= 110, `${known.length} of 120 replays with 5% of noise`);
  let met = 0;
  for (const [index, visit] of visits.entries())
    for (const other of visits.slice(index + 1)) if (groupsShared(visit, other) >= bounds.movementGroupsMin) met += 1;
  t.equal(met, 0, 'of 7,140 pairs of strangers');
  t.end();
});

t.test('little input, and input that is all alike, leaves no mark', (t) => {
  const few = Object.fromEntries(Object.entries(visitOf(1)).map(([name, values]) => [name, values.slice(0, 4)]));
  t.same(marksOfMovement({ beh: behaviorOf(few as unknown as Events) }), []);
  t.same(marksOfMovement({ beh: { clickDwell: [10, 0.1, 0, 0.1, 0.1], moves: 5 } }), []);
  t.same(marksOfMovement({}), []);
  t.end();
});
