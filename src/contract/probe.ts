/** The body of the on-page probe: claims that may be forged. In an optional group null means "could not be measured". */
import { Type, type Static } from 'typebox';
import { userAgentLengthMax } from '../limits.js';
import { CallerId, Nullable, StringEnum } from './common.js';

const text = (length: number, description: string) => Nullable(Type.String({ maxLength: length, description }));
const number = (description: string) => Nullable(Type.Number({ description }));
const count = (description: string) => Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }));
const flag = (description: string) => Nullable(Type.Boolean({ description }));

/** Statistics of a sample as [n, mean, standard deviation, minimum, maximum]. */
export const Sample = Type.Unsafe<readonly [number, number, number, number, number]>({
  type: 'array',
  items: { type: 'number' },
  minItems: 5,
  maxItems: 5,
});
export type Sample = Static<typeof Sample>;
const sample = (description: string) =>
  Nullable(Type.Unsafe<readonly [number, number, number, number, number]>({ ...Sample, description }));

const group = <P extends Record<string, import('typebox').TSchema>>(properties: P, description: string) =>
  Type.Optional(Type.Partial(Type.Object(properties), { description }));

/** How a question was answered, as the question observer saw it. */
export const QuestionSnapshot = Type.Object({
  questionId: Type.String({ minLength: 1, maxLength: 128, description: 'The page’s name for the question.' }),
  timeOnQuestionMs: Type.Number({
    minimum: 0,
    description: 'Time from the start of the observer until it was stopped or read, ms.',
  }),
  mouseMoveCount: Type.Integer({ minimum: 0, description: 'Pointer moves over the question.' }),
  keyCount: Type.Integer({ minimum: 0, description: 'Key presses in the question.' }),
  pasteCount: Type.Integer({ minimum: 0, description: 'Pastes into the question.' }),
  focusEntries: Type.Integer({ minimum: 0, description: 'Times that the question got the focus.' }),
  focusExits: Type.Integer({ minimum: 0, description: 'Times that the question lost the focus.' }),
  ended: Type.Optional(
    Type.Boolean({
      description: 'Whether the observer was stopped because the question is complete. Absent while it is open.',
    }),
  ),
  text: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Text of the question; only if captureText is on.' }),
  ),
});
export type QuestionSnapshot = Static<typeof QuestionSnapshot>;

export const ProbeBody = Type.Object(
  {
    v: Type.Literal(1, { description: 'Version of this body.' }),
    sdk: Type.String({ maxLength: 32, description: 'Version of the bundle.' }),
    projectKey: Type.String({ minLength: 1, maxLength: 128, description: 'Public probe key of the project (pk_...).' }),
    sessionId: CallerId('The session that the scoring call will name, byte for byte.'),
    nonce: Type.String({
      minLength: 8,
      maxLength: 64,
      description: 'Random value per page load, valid for one session only.',
    }),
    seq: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Number of this message in the page load; the highest is kept.',
    }),
    phase: StringEnum(['load', 'update'] as const, {
      description: 'A load has all groups, an update only behavior, the page’s state and question snapshots.',
    }),
    at: Type.Number({ description: 'Client clock, milliseconds since 1970.' }),
    up: Type.Number({ description: 'Milliseconds since the navigation began.' }),
    ids: group(
      {
        token: text(64, 'Random token kept in the browser’s storage.'),
        kept: flag('The token was there before this page load.'),
      },
      'Storage identity.',
    ),
    auto: group(
      {
        webdriver: flag('The browser says that a program drives it (navigator.webdriver).'),
        globals: Nullable(
          Type.Array(Type.String({ maxLength: 64 }), {
            maxItems: 16,
            description: 'Names of globals that automation tools leave behind.',
          }),
        ),
        debugStack: flag('Error.prepareStackTrace ran during console.debug: a debugging protocol is attached.'),
        debugGetter: flag('A logged object’s name getter was read a second time: a debugging protocol is attached.'),
      },
      'Automation.',
    ),
    lies: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 40,
        description:
          'Contradictions as check.subject; check is proxy (native function replaced), frame (a fresh frame disagrees), worker (a worker disagrees) or own (a property set on the instance).',
      }),
    ),
    gaps: Type.Optional(
      Type.Array(Type.String({ maxLength: 32 }), {
        maxItems: 40,
        description:
          'Signals without a value: refused by the browser, turned off by the project, or not ready. Load messages only. If frames or worker is listed, that comparison was not made.',
      }),
    ),
    ua: group(
      {
        ua: Nullable(
          Type.String({
            description: `User agent of the browser. Only the first ${userAgentLengthMax} characters are used.`,
          }),
        ),
        brands: Nullable(
          Type.Array(Type.String({ maxLength: 96 }), {
            maxItems: 10,
            description: 'Brands of the browser with their versions, as brand;version (client hints).',
          }),
        ),
        mobile: flag('The browser says that it is a phone’s (client hint).'),
        platform: text(64, 'Operating system (client hint).'),
        platformVersion: text(64, 'Version of the operating system (client hint, high entropy).'),
        model: text(96, 'Model of a phone or tablet (client hint, high entropy).'),
        arch: text(32, 'Architecture of the processor (client hint, high entropy).'),
      },
      'User agent.',
    ),
    hw: group(
      {
        cores: count('Processor cores.'),
        memory: number('Memory as the browser rounds it, GiB.'),
        touch: count('Touches that the screen follows at once.'),
        platform: text(64, 'Platform of the browser (navigator.platform).'),
      },
      'Hardware.',
    ),
    scr: group(
      {
        w: number('Width of the screen.'),
        h: number('Height of the screen.'),
        availW: number('Width of the screen without system bars.'),
        availH: number('Height of the screen without system bars.'),
        outerW: number('Width of the window.'),
        outerH: number('Height of the window.'),
        innerW: number('Width of the page’s view.'),
        innerH: number('Height of the page’s view.'),
        dpr: number('Device pixels per CSS pixel.'),
        depth: number('Color depth of the screen, bits.'),
      },
      'Screen and window, CSS pixels.',
    ),
    loc: group(
      {
        zone: text(64, 'Time zone, as in Europe/Berlin.'),
        offset: number('Minutes from local time to UTC.'),
        language: text(35, 'First language of the browser.'),
        languages: Nullable(
          Type.Array(Type.String({ maxLength: 35 }), {
            maxItems: 16,
            description: 'Languages of the browser, in order of preference.',
          }),
        ),
      },
      'Locale and time zone.',
    ),
    gfx: group(
      {
        vendor: text(128, 'Vendor of the graphics (WebGL, unmasked).'),
        renderer: text(256, 'Graphics card or software that draws (WebGL, unmasked).'),
        canvas: text(16, 'Hash of a picture that the browser drew.'),
        stable: flag('Two drawings of the picture agree.'),
        audio: number('Sum of a sound that the browser rendered without playing it.'),
      },
      'Graphics and audio.',
    ),
    env: group(
      {
        fonts: text(16, 'Hash of the list of the fonts present, out of 14.'),
        plugins: count('Number of plug-ins.'),
        pdf: flag('The browser shows PDF files itself.'),
        cookies: flag('Cookies are allowed.'),
        storage: flag('The browser’s storage is usable.'),
      },
      'Environment.',
    ),
    page: group(
      {
        framed: flag('The page is inside a frame.'),
        hidden: flag('The page is hidden now.'),
        hiddenMs: number('Time hidden since load, ms.'),
        blurs: count('Times that the window lost focus.'),
      },
      'Page.',
    ),
    beh: group(
      {
        ms: number('Time observed, ms.'),
        moves: count('Pointer moves.'),
        interval: sample('Time between pointer moves, ms.'),
        turn: sample('Angle between successive moves, radians, absolute.'),
        straight: number('Distance between ends over path length, 0-1, mean over strokes.'),
        coalesced: sample('Coalesced events per pointer move.'),
        fineTimes: count(
          'Pointer moves whose distance in time from the one before is no whole number of milliseconds.',
        ),
        subpixel: count('Pointer moves at fractions of a pixel on a screen with one pixel per CSS pixel.'),
        clicks: count('Clicks.'),
        clickDwell: sample('Press to release, ms.'),
        clickSettle: sample('Last move to press, ms.'),
        clickCentre: sample('Distance of clicks from the target’s centre over half its diagonal, 0-1.'),
        clickBare: count('Clicks without any pointer event before them.'),
        pressureZero: count('Mouse presses that report pressure 0.'),
        keys: count('Key presses.'),
        keyDwell: sample('Key press to release, ms.'),
        keyFlight: sample('Key release to next press, ms.'),
        keyNoCode: count('Key events without a code.'),
        keyFineTimes: count('Keys whose time from press to release is no whole number of milliseconds.'),
        keyNoShift: count('Capital letters pressed without Shift and Caps Lock.'),
        inputNoKey: count('Inputs of text without key, paste, composition or autofill before them.'),
        wheels: count('Wheel events.'),
        wheelTicks: count('Wheel events of 50 pixels or more, as the notches of a wheel are.'),
        wheelLies: count('Wheel events whose wheelDelta contradicts deltaY.'),
        scrolls: count('Scroll events.'),
        touches: count('Touches.'),
        touchForce: sample('Force of touches.'),
        touchRadius: sample('Radius of touches, pixels.'),
        pastes: count('Pastes.'),
        pasteChars: count('Characters pasted in total.'),
        untrusted: count('Input events with isTrusted false.'),
        motion: sample('Acceleration of the device, m/s².'),
      },
      'Behaviour since load.',
    ),
    q: Type.Optional(
      Type.Array(QuestionSnapshot, { maxItems: 50, description: 'The latest snapshots of observed questions.' }),
    ),
  },
  { additionalProperties: true },
);
export type ProbeBody = Static<typeof ProbeBody>;

/** The sender of the probe according to its HTTP request, to compare with the body. */
export interface ProbeTransport {
  readonly userAgent: string | null;
  readonly acceptLanguage: string | null;
  /** Sec-CH-UA-Platform and Sec-CH-UA-Mobile as sent. */
  readonly hintPlatform: string | null;
  readonly hintMobile: string | null;
  /** The page’s origin as the browser named it, and when the message came. Absent in examples. */
  readonly origin?: string | null;
  readonly receivedAtMs?: number;
  /** Other sessions of the project in which the same input came; absent where there was none. */
  readonly repeats?: number;
}

export const ProbeReply = Type.Object({ sessionId: Type.String(), stored: Type.Boolean() });
export type ProbeReply = Static<typeof ProbeReply>;
