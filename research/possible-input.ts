/** Makes figures of drawn input agree: no more events in a sample than were counted, and no more time between them than was observed. */
import type { ProbeBody } from '../src/contract/probe.js';

type Behavior = NonNullable<ProbeBody['beh']>;

export function possibleInput(beh: Behavior): Behavior {
  const { interval, turn, coalesced, keyDwell, keyFlight, touchForce, touchRadius, clickDwell } = beh;
  const most = (counted: number | null | undefined, ...samples: (readonly number[] | null | undefined)[]): number =>
    Math.max(counted ?? 0, ...samples.map((sample) => sample?.[0] ?? 0));
  const lasted = [interval, clickDwell].map((sample) => (sample == null ? 0 : sample[0] * sample[1]));
  return {
    ...beh,
    ms: Math.max(beh.ms ?? 0, ...lasted.map(Math.ceil)),
    moves: most(beh.moves, interval, turn, coalesced),
    clicks: Math.max(beh.clicks ?? 0, beh.clickBare ?? 0),
    keys: Math.max(most(beh.keys, keyDwell, keyFlight), beh.keyNoCode ?? 0),
    wheels: Math.max(beh.wheels ?? 0, beh.wheelLies ?? 0),
    touches: most(beh.touches, touchForce, touchRadius),
  };
}
