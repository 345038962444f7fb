/**
 * How programs use a page: drivers, smoothed drivers, agents on language models and racks of phones. What they do overlaps with hands. Rates
 * are invented after what the tools are known to send; paid bots smooth about half of it (arXiv 2406.07647), agents nearly all (PNAS 2518075122).
 */
import type { Draw } from './draw.js';
import { byMouse, byTouch, nothing, sampleOf, type Behavior } from './hands.js';

/** A driver that does nothing to look like a person. `scripted`: events made by a script of the page. */
export function byDriver(draw: Draw, scripted: boolean): Behavior {
  const clicks = draw.whole(4, 20);
  const keys = draw.chance(0.7) ? draw.whole(5, 120) : 0;
  if (scripted)
    return {
      ...nothing,
      ms: Math.round(draw.lognormal(20_000, 0.7)),
      clicks,
      clickBare: clicks,
      untrusted: clicks * draw.whole(1, 4),
      inputNoKey: draw.whole(0, 5),
      scrolls: draw.whole(0, 5),
    };
  const moves = clicks + draw.whole(0, 12);
  return {
    ...nothing,
    ms: Math.round(draw.lognormal(30_000, 0.7)),
    moves,
    interval: sampleOf(draw, moves, draw.lognormal(60, 0.8), draw.lognormal(40, 0.9)),
    coalesced: sampleOf(draw, moves, 1, 0, 1),
    clicks,
    clickDwell: sampleOf(draw, clicks, draw.lognormal(1.2, 0.6), 0.5),
    clickSettle: sampleOf(draw, clicks, draw.lognormal(1.5, 0.7), 0.8),
    clickCentre: sampleOf(draw, clicks, draw.chance(0.8) ? 0.001 : 0.05, 0.002),
    pressureZero: draw.chance(0.45) ? clicks : 0,
    keys,
    keyDwell: sampleOf(draw, keys, draw.lognormal(1.4, 0.6), 0.6),
    keyFlight: sampleOf(draw, keys - 1, draw.lognormal(3, 1), 1),
    inputNoKey: draw.chance(0.3) ? draw.whole(1, 5) : 0,
    scrolls: draw.whole(0, 12),
    untrusted: draw.chance(0.1) ? draw.whole(1, 30) : 0,
  };
}

/** A driver whose makers smoothed it: each habit of a machine is left in with the probability `rough`; the rest is played from recordings of hands. */
export function bySmoothedDriver(draw: Draw, rough: number): Behavior {
  const hand = byMouse(draw, true);
  const [clicks, moves, keys] = [hand.clicks ?? 0, hand.moves ?? 0, hand.keys ?? 0];
  const left = <Value>(habit: Value, played: Value, share = rough): Value => (draw.chance(share) ? habit : played);
  const steps = draw.lognormal(12, 0.4);
  return {
    ...hand,
    moves: left(Math.round(moves * draw.between(0.1, 0.5)), moves),
    wheels: left(0, hand.wheels ?? 0),
    interval: left(sampleOf(draw, moves, steps, steps * draw.between(0.01, 0.12)), hand.interval ?? null),
    coalesced: left(sampleOf(draw, moves, 1, 0, 1), hand.coalesced ?? null, Math.min(1, rough * 1.6)),
    straight: left(0.9999, hand.straight ?? null, rough * 0.5),
    clickDwell: left(sampleOf(draw, clicks, draw.lognormal(4, 1.2), 2), hand.clickDwell ?? null),
    clickSettle: left(sampleOf(draw, clicks, draw.lognormal(3, 0.8), 2), hand.clickSettle ?? null),
    clickCentre: left(sampleOf(draw, clicks, 0.004, 0.004), hand.clickCentre ?? null),
    pressureZero: left(clicks, 0, rough * 0.4),
    keyDwell: left(sampleOf(draw, keys, draw.lognormal(5, 1), 1), hand.keyDwell ?? null),
    keyFlight: left(sampleOf(draw, keys - 1, draw.lognormal(80, 0.5), draw.between(1, 14)), hand.keyFlight ?? null),
    inputNoKey: left(draw.whole(1, 6), hand.inputNoKey ?? 0, rough * 0.5),
  };
}

/** An agent on a language model: long pauses, few and exact clicks, text that appears; some are humanised throughout. */
export function byAgent(draw: Draw): Behavior {
  if (draw.chance(0.45)) return bySmoothedDriver(draw, 0.15);
  const clicks = draw.whole(8, 30);
  const moves = draw.chance(0.5) ? clicks : clicks * draw.whole(2, 12);
  const inserted = draw.chance(0.55);
  const keys = inserted ? 0 : draw.whole(20, 240);
  return {
    ...nothing,
    ms: Math.round(draw.lognormal(240_000, 0.5)),
    moves,
    interval: sampleOf(draw, moves, draw.lognormal(400, 1), draw.lognormal(500, 0.8)),
    straight: draw.chance(0.5) ? 1 : null,
    coalesced: sampleOf(draw, moves, 1, 0, 1),
    clicks,
    clickDwell: sampleOf(draw, clicks, draw.chance(0.5) ? draw.lognormal(1.5, 0.6) : draw.lognormal(60, 0.4), 2),
    clickSettle: sampleOf(draw, clicks, draw.lognormal(12, 1.4), 8),
    clickCentre: sampleOf(draw, clicks, draw.chance(0.7) ? 0.003 : 0.12, 0.004),
    pressureZero: draw.chance(0.2) ? clicks : 0,
    keys,
    keyDwell: sampleOf(draw, keys, draw.lognormal(3, 1), 2),
    keyFlight: sampleOf(draw, keys - 1, draw.lognormal(20, 1), draw.lognormal(8, 1)),
    inputNoKey: inserted ? draw.whole(1, 8) : 0,
    scrolls: draw.whole(0, 40),
  };
}

/** Touches that a rack of phones gets from a script or a robot’s finger; `manual`: workers tap them. */
export function byRack(draw: Draw, manual: boolean): Behavior {
  const hand = byTouch(draw);
  if (manual) return { ...hand, motion: draw.chance(0.85) ? null : (hand.motion ?? null) };
  const touches = hand.touches ?? 0;
  const uniform = draw.chance(0.6);
  return {
    ...hand,
    ms: Math.round(draw.lognormal(70_000, 0.4)),
    touchForce: sampleOf(draw, touches, 1, uniform ? 0 : 0.02),
    touchRadius: sampleOf(draw, touches, uniform ? 1 : 8, uniform ? 0 : 0.5),
    motion: null,
    untrusted: draw.chance(0.15) ? draw.whole(1, 20) : (hand.untrusted ?? 0),
  };
}
