/** Untouched browsers on a virtual display, operated through the X server: as people do, and as programs do that stay outside the browser. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchPlain, startDisplay } from '../../test/helpers/browser.js';
import { hasFirefox, launchFirefox } from '../../test/helpers/firefox.js';
import { sendInput } from '../../test/helpers/input.js';
import { createRandom } from '../../workers/seeded-random.js';
import { answerSurvey, createPause, type Actor } from './actor.js';
import type { Run } from './drivers.js';
import { ToolMissing } from './optional.js';
import type { Survey } from './survey.js';

export interface HandProfile {
  readonly seed?: number;
  /** Flags of the browser. */
  readonly args?: string[];
  /** Firefox in place of Chromium, with preferences. */
  readonly firefox?: Readonly<Record<string, boolean | number | string>>;
  /** Mean pause before each answer, ms. */
  readonly pauseMs?: number;
  /** How much slower than an average hand; below 1, faster. */
  readonly pace?: number;
  /** `eased` moves on a straight line, `jump` in one step: programs do. */
  readonly path?: 'curve' | 'eased' | 'jump';
  /** Mean time that a button is held, ms; a tap on a touchpad reports none. */
  readonly pressMs?: number;
  /** Mean time that a key is held, ms. */
  readonly keyMs?: number;
  /** Presses the next key before the last is let go. */
  readonly rolls?: boolean;
  /** Never touches the mouse. */
  readonly keyboardOnly?: boolean;
  /** Wheel ticks in quick bursts, as a touchpad sends them. */
  readonly bursts?: boolean;
  /** Follows the address of the survey: one of its oddities, or `twice` for two copies of the probe. */
  readonly address?: '?wallet' | '?noise' | 'twice';
  /** Has another survey open in a second tab. */
  readonly hasOtherTab?: boolean;
  /** Keys pressed before the first answer, for xdotool. */
  readonly keysFirst?: readonly string[];
  /** Presses Ctrl and plus this often. */
  readonly zooms?: number;
  /** Processes that keep the processor busy. */
  readonly busy?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Copies long answers from elsewhere and pastes them. */
  readonly pastes?: boolean;
}

const keyNames: Readonly<Record<string, string>> = { ' ': 'space', ',': 'comma', '.': 'period' };

/** The hand's typing as commands for xdotool: Shift for capitals, pauses that scatter, longer ones between words. */
function typeText(text: string, { pace = 1, keyMs = 85, rolls = false }: HandProfile, random: () => number): string[] {
  const pause = (ms: number) => ['sleep', ((ms * pace * (0.5 + random())) / 1_000).toFixed(4)];
  const commands: string[] = [];
  let held = '';
  for (const letter of text) {
    const isCapital = /[A-Z]/.test(letter);
    const key = keyNames[letter] ?? letter.toLowerCase();
    if (isCapital) commands.push('keydown', 'shift', ...pause(60));
    commands.push('keydown', key);
    if (rolls && !isCapital) {
      if (held !== '' && held !== key) commands.push(...pause(18), 'keyup', held);
      held = key;
      commands.push(...pause(70));
    } else {
      if (held !== '') commands.push('keyup', held);
      held = '';
      commands.push(...pause(keyMs), 'keyup', key);
      if (isCapital) commands.push(...pause(30), 'keyup', 'shift');
      commands.push(...pause(letter === ' ' ? 180 : 110));
    }
  }
  return held === '' ? commands : [...commands, 'keyup', held];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the pointer's way from where it is to a point. */
function createWay(
  { path = 'curve' }: HandProfile,
  random: () => number,
  pause: (ms: number) => string[],
): (to: Point) => string[] {
  let from: Point = { x: 300 + random() * 200, y: 350 + random() * 100 };
  return (to) => {
    const steps = path === 'jump' ? 1 : Math.round(50 + 40 * random());
    const bend = path === 'curve' ? { x: (random() - 0.5) * 130, y: (random() - 0.5) * 130 } : { x: 0, y: 0 };
    const commands: string[] = [];
    for (let step = 1; step <= steps; step++) {
      const part = step / steps;
      const eased = part * part * (3 - 2 * part);
      const bow = 2 * eased * (1 - eased);
      const tremor = path === 'curve' && step < steps ? (random() - 0.5) * 1.5 : 0;
      commands.push(
        'mousemove',
        String(Math.round(from.x + (to.x - from.x) * eased + bend.x * bow + tremor)),
        String(Math.round(from.y + (to.y - from.y) * eased + bend.y * bow + tremor)),
        ...pause(path === 'curve' ? 3 + 6 * random() : 8),
      );
    }
    from = to;
    return commands;
  };
}

function createMouse(display: string, survey: Survey, profile: HandProfile): Actor {
  const { seed = 7, pace = 1, path = 'curve', pressMs = 80, bursts = false, pastes = false } = profile;
  const random = createRandom(seed);
  const send = (commands: readonly string[]) => sendInput(display, commands);
  const pause = (ms: number) => ['sleep', ((ms * pace) / 1_000).toFixed(4)];
  const moveTo = createWay(profile, random, pause);
  /** Turns the wheel until the control is in view, as the page reports it. */
  const find = async (id: string) => {
    for (let turn = 0; turn < 25; turn++) {
      const { boxes, scrollY, top, ratio, height } = await survey.places();
      const box = boxes[id];
      if (box === undefined) throw new Error(`no control ${id}`);
      if (box.y > 10 && box.y + box.height < height - 10) {
        const across = path === 'curve' ? 0.15 + 0.3 * random() : 0.5;
        const down = path === 'curve' ? 0.3 + 0.4 * random() : 0.5;
        return { x: (box.x + box.width * across) * ratio, y: (box.y + box.height * down) * ratio + top };
      }
      const button = box.y > 10 ? '5' : '4';
      await send(
        Array.from({ length: bursts ? 4 : 2 }, () => [
          'click',
          button,
          ...pause(bursts ? 14 : 90 + 90 * random()),
        ]).flat(),
      );
      await survey.places((now) => now.scrollY !== scrollY).catch(() => undefined);
    }
    throw new Error(`${id} never came into view`);
  };
  const click = async (id: string) => {
    const to = await find(id);
    const held =
      pressMs === 0 ? ['click', '1'] : ['mousedown', '1', ...pause(pressMs * (0.75 + 0.5 * random())), 'mouseup', '1'];
    await send([...moveTo(to), ...(path === 'jump' ? [] : pause(110 + 120 * random())), ...held]);
  };
  return {
    click,
    async type(id, text) {
      await click(id);
      await sleep(250 * pace);
      if (pastes && text.length > 40)
        await send([
          'keydown',
          'ctrl',
          ...pause(70),
          'keydown',
          'v',
          ...pause(80),
          'keyup',
          'v',
          ...pause(40),
          'keyup',
          'ctrl',
        ]);
      else await send(typeText(text, profile, random));
    },
  };
}

/** Tab, arrows and Space. The order of the controls is that of the survey. */
function createKeyboard(display: string, profile: HandProfile): Actor {
  const { seed = 7, pace = 1, keyMs = 85 } = profile;
  const random = createRandom(seed);
  const pause = (ms: number) => ['sleep', ((ms * pace * (0.6 + 0.8 * random())) / 1_000).toFixed(4)];
  const press = (...keys: string[]) =>
    sendInput(
      display,
      keys.flatMap((key) => ['keydown', key, ...pause(keyMs), 'keyup', key, ...pause(240)]),
    );
  return {
    async click(id) {
      const [name = '', number = '1'] = id.split('-');
      if (name === 'submit') await press('Tab', 'Return');
      else if (name === 'brand') await press(...(number === '1' ? ['Tab', 'space'] : ['Tab', 'Tab', 'space']));
      else await press('Tab', 'space', ...Array.from({ length: Number(number) - 1 }, () => 'Down'));
    },
    async type(_id, text) {
      await press('Tab');
      await sendInput(display, typeText(text, profile, random));
    },
  };
}

export const byHand =
  (profile: HandProfile): Run =>
  async (survey) => {
    const { firefox, args = [], pauseMs = 600, zooms = 0, busy = 0, environment = {}, pastes = false } = profile;
    const { address = '', hasOtherTab = false, keysFirst = [] } = profile;
    const url = survey.url + address;
    if (firefox && !hasFirefox()) throw new ToolMissing('firefox-esr is not installed');
    const display = await startDisplay();
    const load = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }));
    const clipboard = pastes ? holdClipboard(display.name) : null;
    const browser = firefox
      ? launchFirefox(url, { display: display.name, preferences: firefox, environment })
      : await launchPlain(url, {
          display: display.name,
          args: hasOtherTab ? [...args, survey.otherUrl] : args,
          environment,
        });
    try {
      await survey.loaded();
      await survey.places();
      await sendInput(display.name, ['mousemove', '500', '400']);
      for (const key of keysFirst) await sendInput(display.name, ['key', key, 'sleep', '1.5']);
      for (let turn = 0; turn < zooms; turn++) await zoomIn(display.name, survey);
      const actor =
        profile.keyboardOnly === true
          ? createKeyboard(display.name, profile)
          : createMouse(display.name, survey, profile);
      await answerSurvey(survey, actor, createPause(pauseMs, profile.seed ?? 7));
    } finally {
      await browser.close();
      for (const each of [...load, ...(clipboard ? [clipboard] : [])]) each.kill('SIGKILL');
      await display.close();
    }
  };

async function zoomIn(display: string, survey: Survey): Promise<void> {
  const { ratio } = await survey.places();
  await sendInput(display, ['key', 'ctrl+plus']);
  await survey.places((now) => now.ratio > ratio);
}

/** Keeps a long answer on the clipboard, as another program would. */
function holdClipboard(display: string) {
  const child = spawn('xclip', ['-selection', 'clipboard', '-loops', '0', '-quiet'], {
    env: { ...process.env, DISPLAY: display },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.once('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(
    'The delivery was late twice, but the people on the phone were kind and sent me a new parcel at once.',
  );
  return child;
}
