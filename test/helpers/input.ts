/**
 * Drives the mouse and the keyboard of a display through the X server, so that a browser cannot tell
 * the events from those of hardware: as a person would (curves, pauses, uneven keys), or as a robot
 * (straight to the place, at once). Randomness comes from a seed, so that a run can be repeated.
 */
import { spawn } from 'node:child_process';
import { createRandom } from '../../workers/seeded-random.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A sequence of commands for xdotool, run as one process, so that its pauses are its own. */
export type Commands = readonly string[];

const pause = (ms: number): Commands => ['sleep', (ms / 1000).toFixed(4)];

/** A hand's way to a point: bent, slow at both ends, trembling, with a sample every few milliseconds. */
function moveHand(from: Point, to: Point, random: () => number): string[] {
  const steps = 60 + Math.floor(random() * 40);
  const bend = { x: (random() - 0.5) * 160, y: (random() - 0.5) * 160 };
  const commands: string[] = [];
  for (let step = 1; step <= steps; step++) {
    const progress = step / steps;
    const eased = progress * progress * (3 - 2 * progress);
    const arc = 4 * eased * (1 - eased);
    const tremor = step === steps ? 0 : 1.5;
    const at = (start: number, end: number, bow: number) =>
      Math.round(start + (end - start) * eased + bow * arc * 0.5 + (random() - 0.5) * tremor);
    commands.push(
      'mousemove',
      String(at(from.x, to.x, bend.x)),
      String(at(from.y, to.y, bend.y)),
      ...pause(3 + random() * 6),
    );
  }
  return commands;
}

const clickHeld = (dwellMs: number): Commands => ['mousedown', '1', ...pause(dwellMs), 'mouseup', '1'];

/** A person goes to each target, a little off its centre, presses, types into the second, scrolls before the last. */
export function actLikePerson(targets: readonly Point[], text: string, seed: number): Commands {
  const random = createRandom(seed);
  let from: Point = { x: 40 + random() * 100, y: 300 + random() * 100 };
  return targets.flatMap((target, index) => {
    const to = { x: target.x + (random() - 0.5) * 80, y: target.y + (random() - 0.5) * 24 };
    // Looks at what is further down before the last press, and comes back.
    const look =
      index === targets.length - 1
        ? ['5', '5', '4', '4', '4'].flatMap((button) => ['click', button, ...pause(120 + random() * 80)])
        : [];
    const commands = [
      ...look,
      ...(look.length ? pause(500) : []),
      ...moveHand(from, to, random),
      ...pause(110 + random() * 90),
      ...clickHeld(60 + random() * 40),
      ...pause(200),
    ];
    from = to;
    if (index === 1)
      for (const key of text)
        commands.push('keydown', key, ...pause(60 + random() * 50), 'keyup', key, ...pause(50 + random() * 120));
    return commands;
  });
}

/** A script that knows the places jumps there and presses at once. */
export function actLikeRobot(targets: readonly Point[], text: string): Commands {
  return targets.flatMap((target, index) => [
    'mousemove',
    String(target.x),
    String(target.y),
    ...pause(30),
    'click',
    '1',
    ...pause(30),
    ...(index === 1 ? [...text].flatMap((key) => ['key', '--delay', '6', key]) : []),
  ]);
}

/** Runs the commands on the display; rejects when xdotool refuses them. */
export function sendInput(display: string, commands: Commands): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/xdotool', [...commands], {
      env: { ...process.env, DISPLAY: display },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`xdotool ended with ${code}: ${complaint}`)),
    );
  });
}
