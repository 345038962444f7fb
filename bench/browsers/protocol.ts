/** A real browser on a display with its debugging port open, operated with input events alone: the page's runtime is never attached. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { launchPlain, startDisplay } from '../../test/helpers/browser.js';
import { pollUntil } from '../../test/helpers/wait-until.js';
import { createRandom } from '../../workers/seeded-random.js';
import { answerSurvey, createPause, type Actor } from './actor.js';
import type { Run } from './drivers.js';
import type { Survey } from './survey.js';

type Send = (method: string, params?: object) => Promise<Record<string, unknown>>;

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
}

/** Port 0 would make the browser say that it is automated. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

async function attach(port: number, url: string): Promise<{ send: Send; close(): void }> {
  const target = await pollUntil('the page', async () => {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      url: string;
      webSocketDebuggerUrl: string;
    }[];
    return targets.find((each) => each.type === 'page' && each.url.startsWith(url));
  });
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result = {} } = JSON.parse(String(data)) as Answer;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let id = 0;
  return {
    send: (method, params = {}) =>
      new Promise((resolve) => {
        waiting.set(++id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}

export interface Hand {
  /** Mean pause before each answer, ms. */
  readonly pauseMs: number;
  /** `curves`: bent, eased, with tremor; `lines`: straight and even; `jumps`: one move. */
  readonly path: 'curves' | 'lines' | 'jumps';
  /** Whole pixels, as a mouse has. */
  readonly whole?: boolean;
  /** Pressure of a press. */
  readonly force?: number | undefined;
  /** Sends moves at a mouse's rate without waiting for the page to take them. */
  readonly streams?: boolean;
  /** How text is entered: keys one by one, all text at once, or pasted from the clipboard. */
  readonly text: 'keys' | 'insert' | 'paste';
  /** Holds Shift for capitals. */
  readonly shifts?: boolean;
  /** Gestures of the browser's own making rather than mouse events. */
  readonly touch?: boolean;
}

const screenHeight = 700;

/** Reads where controls are from the DOM domain, which needs no script in the page. */
async function locate(send: Send, id: string): Promise<[x: number, y: number, width: number, height: number]> {
  const { root } = (await send('DOM.getDocument', { depth: 0 })) as { root: { nodeId: number } };
  const { nodeId } = await send('DOM.querySelector', { nodeId: root.nodeId, selector: `#${id}` });
  const { model } = (await send('DOM.getBoxModel', { nodeId })) as {
    model: { border: number[]; width: number; height: number };
  };
  return [model.border[0] ?? 0, model.border[1] ?? 0, model.width, model.height];
}

function createHand(send: Send, hand: Hand): Actor {
  const random = createRandom(31);
  const spread = (mean: number) => mean * (0.55 + 0.9 * random());
  let [fromX, fromY] = [500, 420];
  const mouse = (type: string, x: number, y: number, extra: object = {}) =>
    send('Input.dispatchMouseEvent', { type, x, y, ...extra });
  const move = async (toX: number, toY: number) => {
    const steps = hand.path === 'jumps' ? 1 : Math.round(30 + 40 * random());
    const bend = hand.path === 'curves' ? (random() - 0.5) * 140 : 0;
    for (let step = 1; step <= steps; step++) {
      const part = step / steps;
      const eased = hand.path === 'curves' ? part * part * (3 - 2 * part) : part;
      const tremor = hand.path === 'curves' && step < steps ? random() - 0.5 : 0;
      const bow = 4 * eased * (1 - eased) * bend;
      let [x, y] = [
        fromX + (toX - fromX) * eased + bow * 0.4 + tremor,
        fromY + (toY - fromY) * eased + bow * 0.6 + tremor,
      ];
      if (hand.whole) [x, y] = [Math.round(x), Math.round(y)];
      const moved = mouse('mouseMoved', x, y);
      if (!hand.streams) await moved;
      if (steps > 1) await sleep(hand.streams ? 5 + 5 * random() : 6 + 9 * random());
    }
    [fromX, fromY] = [toX, toY];
  };
  const press = async (x: number, y: number) => {
    const extra = { button: 'left', clickCount: 1, ...(hand.force === undefined ? {} : { force: hand.force }) };
    await mouse('mousePressed', x, y, { ...extra, buttons: 1 });
    await sleep(spread(85));
    await mouse('mouseReleased', x, y, extra);
  };
  const scrollTo = async (id: string) => {
    for (let turn = 0; turn < 20; turn++) {
      const [, y] = await locate(send, id);
      if (y > 40 && y < screenHeight - 60) return;
      if (hand.touch)
        await send('Input.synthesizeScrollGesture', { x: 300, y: 400, yDistance: y > 0 ? -300 : 300, speed: 900 });
      else await mouse('mouseWheel', fromX, fromY, { deltaX: 0, deltaY: y > 0 ? 120 : -120 });
      await sleep(spread(160));
    }
  };
  const click = async (id: string) => {
    await scrollTo(id);
    const [left, top, width, height] = await locate(send, id);
    let [x, y] = [left + Math.min(width, 160) * (0.25 + 0.5 * random()), top + height * (0.3 + 0.4 * random())];
    if (hand.whole) [x, y] = [Math.round(x), Math.round(y)];
    if (hand.touch) return void (await send('Input.synthesizeTapGesture', { x, y, duration: Math.round(spread(70)) }));
    await move(x, y);
    await sleep(spread(140));
    await press(x, y);
  };
  return {
    click,
    type: async (id, text) => (await click(id), await sleep(300), await enter(send, hand, text, spread)),
  };
}

const codes: Readonly<Record<string, string>> = { ' ': 'Space', ',': 'Comma', '.': 'Period' };

async function enter(send: Send, hand: Hand, text: string, spread: (mean: number) => number): Promise<void> {
  if (hand.text === 'insert') return void (await send('Input.insertText', { text }));
  const key = (type: string, extra: object) => send('Input.dispatchKeyEvent', { type, ...extra });
  const shift = { key: 'Shift', code: 'ShiftLeft', windowsVirtualKeyCode: 16, location: 1 };
  if (hand.text === 'paste') {
    const v = { key: 'v', code: 'KeyV', windowsVirtualKeyCode: 86, modifiers: 2 };
    await send('Browser.grantPermissions', { permissions: ['clipboardReadWrite'] });
    // The page's own world is never entered: an isolated one fills the clipboard.
    const { frameTree } = (await send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
    const { executionContextId } = await send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
    await send('Runtime.evaluate', {
      contextId: executionContextId,
      awaitPromise: true,
      expression: `navigator.clipboard.writeText(${JSON.stringify(text)})`,
    });
    await key('rawKeyDown', { ...v, commands: ['paste'] });
    await sleep(spread(80));
    return void (await key('keyUp', v));
  }
  for (const letter of text) {
    const isCapital = /[A-Z]/.test(letter);
    const code = /[a-z]/i.test(letter) ? `Key${letter.toUpperCase()}` : codes[letter];
    const known = {
      key: letter,
      code,
      text: letter,
      windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0),
      modifiers: isCapital && hand.shifts ? 8 : 0,
    };
    if (isCapital && hand.shifts) await key('rawKeyDown', { ...shift, modifiers: 8 }).then(() => sleep(spread(60)));
    await key('keyDown', known);
    await sleep(spread(85));
    await key('keyUp', { ...known, text: undefined });
    if (isCapital && hand.shifts) await key('keyUp', shift);
    await sleep(spread(letter === ' ' ? 190 : 110));
  }
}

export const withProtocol =
  (hand: Hand): Run =>
  async (survey: Survey) => {
    const display = await startDisplay();
    const port = await freePort();
    const browser = await launchPlain(survey.url, { display: display.name, args: [`--remote-debugging-port=${port}`] });
    try {
      await survey.loaded();
      const { send, close } = await attach(port, survey.url);
      await answerSurvey(survey, createHand(send, hand), createPause(hand.pauseMs));
      close();
    } finally {
      await browser.close();
      await display.close();
    }
  };
