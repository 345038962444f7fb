/**
 * Every screen of the interface by name, drawn with the interface that ships, for tests and for the pictures of the documentation. It is
 * in no bundle. Global: `gallery`.
 */
import type { CameraStop, ConsentTerms, GuideStep, Outcome, View, ViewOptions } from '../../../sdk/widget/ports.js';
import { loadTexts } from '../../../sdk/widget/ui/packaged-texts.js';
import { english, languageTags, loadLanguage, type Language } from '../../../sdk/widget/ui/locale.js';
import { createView } from '../../../sdk/widget/ui/view.js';

type Given = Partial<Omit<ViewOptions, 'host' | 'language'>> & { readonly locale?: string };
type Answered = (answer: unknown) => void;
type Draw = (view: View, answered: Answered) => void;

interface Shown {
  readonly options?: Given;
  readonly draw: Draw;
}

const terms: ConsentTerms = {
  controller: 'Panel Ltd',
  privacyUrl: 'https://panel.test/privacy',
  comparedWith: 'project',
  faceReuse: true,
  reEligibilityDays: null,
  keptDays: 400,
  pictures: false,
  demographics: false,
};
const everything = { comparedWith: 'group', reEligibilityDays: 30, pictures: true, demographics: true } as const;

const defaults: Omit<ViewOptions, 'host'> = {
  mode: 'standard',
  theme: 'light',
  style: 'classic',
  avatar: 'friendly',
  isTest: false,
  interaction: 'checkbox',
  language: english,
  consent: terms,
  branding: null,
  disclosure: { mode: 'NEUTRAL', text: null },
  demands: { minimumAssurance: 'device_only', evidenceFrames: 'off' },
};

const needed = { demands: { minimumAssurance: 'biometric', evidenceFrames: 'off' } } as const;

const start: Draw = (view, answered) => void view.awaitStart().then(answered);
const consent: Draw = (view, answered) => void view.askConsent().then(answered);
const trouble =
  (reason: CameraStop): Draw =>
  (view, answered) =>
    void view.askCameraAgain(reason).then(answered);
const outcome =
  (
    status: Outcome['status'],
    code: string | null = null,
    canRetry = false,
    camera: Outcome['camera'] = 'unasked',
  ): Draw =>
  (view, answered) =>
    void view.showOutcome({ status, code, canRetry, camera }).then(answered);
const stage =
  (step: GuideStep, hasPicture = step.kind !== 'loading'): Draw =>
  (view, answered) => {
    const opened = view.openStage();
    opened.signal.addEventListener('abort', () => answered(opened.signal.reason));
    opened.video.srcObject = hasPicture ? paintPerson() : null;
    opened.guide(step);
    // A real capture does this at its frames: the rim and the time follow.
    if (step.kind === 'challenge') opened.guide({ ...step, progress: 0.6, leftMs: 5_200 });
  };
const challenge = (
  type: 'blink' | 'turn_left' | 'turn_right' | 'nod' | 'smile',
  index: number,
  hasPicture = true,
): Draw => stage({ kind: 'challenge', type, index, total: 3, progress: 0, leftMs: 8_000 }, hasPicture);
const captcha = { mode: 'captcha' } as const;

const screens: Readonly<Record<string, Shown>> = {
  checkbox: { options: captcha, draw: start },
  slider: { options: { mode: 'captcha', interaction: 'slider' }, draw: start },
  'captcha-working': { options: captcha, draw: (view) => view.showProgress('checking') },
  'captcha-done': { options: captcha, draw: outcome('pass') },
  'captcha-degraded': { options: captcha, draw: outcome('pass', 'DEGRADED') },
  'captcha-consent': { options: captcha, draw: consent },
  'invisible-stage': { options: { mode: 'invisible' }, draw: challenge('nod', 0, false) },
  start: { draw: start },
  consent: { draw: consent },
  'consent-everything': {
    options: {
      consent: { ...terms, ...everything },
      demands: { minimumAssurance: 'device_only', evidenceFrames: 'sampled' },
    },
    draw: consent,
  },
  'consent-incomplete': { options: { consent: { ...terms, privacyUrl: null } }, draw: consent },
  'consent-needed': { options: needed, draw: consent },
  loading: { draw: stage({ kind: 'loading', bytes: { loaded: 2_400_000, total: 6_700_000 } }) },
  'no-face': { draw: stage({ kind: 'no_face' }) },
  blink: { draw: challenge('blink', 0) },
  'turn-left': { draw: challenge('turn_left', 1) },
  'turn-right': { draw: challenge('turn_right', 1) },
  nod: { draw: challenge('nod', 2) },
  smile: { draw: challenge('smile', 2) },
  'stage-done': { draw: stage({ kind: 'done' }) },
  progress: { draw: (view) => view.showProgress('sending') },
  pass: { draw: outcome('pass') },
  declined: { draw: outcome('declined') },
  noted: { draw: outcome('noted') },
  'captcha-noted': { options: captcha, draw: outcome('fail', 'FRAUD_SIGNAL') },
  fail: { draw: outcome('fail', 'LIVENESS_FAILED', true, 'seen') },
  'fail-unseen': { draw: outcome('fail', 'FRAUD_SIGNAL', true) },
  'fail-none': { draw: outcome('fail', 'LIVENESS_FAILED', true, 'none') },
  'fail-declined': {
    options: needed,
    draw: outcome('fail', 'LIVENESS_FAILED', true, 'declined'),
  },
  spent: { options: { disclosure: { mode: 'TRANSPARENT', text: null } }, draw: outcome('fail', 'LIVENESS_FAILED') },
  duplicate: { draw: outcome('fail', 'DUPLICATE_DETECTED') },
  denied: { draw: trouble('denied') },
  busy: { draw: trouble('busy') },
  dismissed: { draw: trouble('dismissed') },
  canceled: { draw: trouble('canceled') },
  'denied-needed': { options: needed, draw: trouble('denied') },
  network: { draw: outcome('error', 'NETWORK_ERROR', true) },
  unavailable: { draw: outcome('error', 'SERVICE_UNAVAILABLE', true) },
  wait: { draw: outcome('error', 'RATE_LIMIT_EXCEEDED', true) },
  expired: { draw: outcome('error', 'SESSION_EXPIRED', true) },
  setup: { draw: outcome('error', 'ORIGIN_NOT_ALLOWED') },
  degraded: { draw: outcome('pass', 'DEGRADED') },
};

/** Stands in for a camera: a person drawn on a canvas. */
function paintPerson(): MediaStream {
  const canvas = Object.assign(document.createElement('canvas'), { width: 480, height: 480 });
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error('a canvas has no pen here');
  const stream = canvas.captureStream();
  const draw = () => drawPerson(pen);
  draw();
  // A canvas that nobody paints sends no frame.
  const timer = setInterval(() => (stream.active ? draw() : clearInterval(timer)), 100);
  return stream;
}

function drawPerson(pen: CanvasRenderingContext2D): void {
  const fill = (colour: string, path: () => void) => {
    pen.fillStyle = colour;
    pen.beginPath();
    path();
    pen.fill();
  };
  fill('#b9c4cc', () => pen.rect(0, 0, 480, 480));
  fill('#8fa3ad', () => pen.rect(0, 300, 480, 180));
  fill('#35506b', () => pen.ellipse(240, 500, 190, 130, 0, 0, 7));
  fill('#c99b78', () => pen.ellipse(240, 370, 48, 70, 0, 0, 7));
  fill('#3b2b22', () => pen.ellipse(240, 190, 112, 128, 0, 0, 7));
  fill('#d9ac8a', () => pen.ellipse(240, 225, 92, 118, 0, 0, 7));
  for (const x of [205, 275]) fill('#2b2320', () => pen.ellipse(x, 210, 9, 7, 0, 0, 7));
  fill('#a8604f', () => pen.ellipse(240, 288, 30, 7, 0, 0, 7));
}

const views = new Map<Element, View>();
const languages = new Map<string, Language>();

const gallery = {
  names: Object.keys(screens),
  languageTags,
  /** Makes a language known to `show`. */
  async load(locale: string) {
    languages.set(locale, (await loadLanguage(locale, loadTexts)) ?? english);
  },
  answers: [] as unknown[],
  /** Draws a screen into an element, in place of what was drawn there. */
  show(name: string, given: Given = {}, host: Element = document.querySelector('#host') ?? document.body) {
    const shown = screens[name];
    if (shown === undefined) throw new Error(`there is no screen ${name}`);
    views.get(host)?.close();
    const { locale = 'en', ...looks } = given;
    const language = languages.get(locale) ?? english;
    const view = createView({ ...defaults, ...shown.options, ...looks, language, host });
    views.set(host, view);
    shown.draw(view, (answer) => gallery.answers.push(answer));
    return view;
  },
  /** The View that was drawn into an element last. */
  open: (host: Element) => views.get(host),
  close: (host: Element) => views.get(host)?.close(),
};

Object.assign(globalThis, { gallery });
