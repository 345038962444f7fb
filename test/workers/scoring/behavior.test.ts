import t from 'tap';
import type { ProbeBody } from '../../../src/contract/probe.js';
import { weighBehavior } from '../../../workers/scoring/behavior.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import {
  chromeOnWindows,
  cleanFacts,
  humanBody,
  humanFacts,
  humanTransport,
  safariOnPhone,
} from '../../helpers/facts.js';
import { automatedVisits, driverBehavior, phoneFacts, touchBehavior } from '../../helpers/visits.js';

type Behavior = NonNullable<ProbeBody['beh']>;
const raised = (beh: Partial<Behavior>, body: Partial<ProbeBody> = {}) =>
  weighBehavior(readVisit(humanFacts({}, { ...body, beh: { ...humanBody().beh, ...beh } })));
const codes = (...of: Parameters<typeof raised>) =>
  raised(...of)
    .filter(({ weight }) => weight > 0)
    .map(({ code }) => code);

t.test('a hand is recognised, on a desktop and on a phone', (t) => {
  t.same(
    raised({}).map(({ code }) => code),
    ['pointer_humanlike', 'typing_humanlike'],
  );
  t.same(
    weighBehavior(readVisit(phoneFacts())).map(({ code }) => code),
    ['touch_humanlike'],
  );
  t.same(weighBehavior(readVisit(cleanFacts())), []);
  t.end();
});

/** Questions that took these milliseconds. */
const questionsOf = (times: readonly number[]) =>
  times.map((timeOnQuestionMs) => ({
    ...{ questionId: 'q', timeOnQuestionMs, mouseMoveCount: 1, keyCount: 0, pasteCount: 0 },
    ...{ focusEntries: 1, focusExits: 1 },
  }));

t.test('each tell of a driver is named', (t) => {
  const tells: Record<string, Partial<Behavior>> = {
    click_without_press: { clickDwell: [5, 0.1, 0.1, 0, 0.4] },
    key_without_press: { keyDwell: [20, 2, 1, 0, 5] },
    typing_inhuman: { keyFlight: [20, 2, 1, 0, 5] },
    press_without_pressure: { pressureZero: 3 },
    click_centred: { clickCentre: [5, 0.001, 0, 0, 0.002] },
    click_unsettled: { clickSettle: [5, 1, 0, 0, 2] },
    pointer_teleports: { moves: 5, keys: 0 },
    pointer_uncoalesced: { coalesced: [400, 1, 0, 1, 1] },
    pointer_metronome: { interval: [400, 16, 0.1, 15.9, 16.1] },
    pointer_straight: { straight: 1, turn: [400, 0, 0, 0, 0] },
    key_without_code: { keyNoCode: 40 },
    input_without_keys: { inputNoKey: 3 },
    wheel_contradiction: { wheelLies: 20 },
    click_without_pointer: { clickBare: 8, keys: 0 },
    input_untrusted: { untrusted: 900 },
    answers_pasted: { pastes: 1, pasteChars: 900 },
  };
  for (const [code, beh] of Object.entries(tells)) t.ok(codes(beh).includes(code), code);
  t.same(
    codes(
      {},
      {
        q: questionsOf(Array.from({ length: 6 }, () => 700)),
      },
    ),
    ['questions_rushed'],
  );
  t.end();
});

t.test('the more questions, the smaller the evenness that chance does not explain', (t) => {
  /** Times whose logarithms lie on both sides of one another by `spread`. */
  const weightOf = (count: number, spread: number): number => {
    const times = Array.from({ length: count }, (_, n) => Math.round(8_000 * Math.exp(n % 2 === 0 ? spread : -spread)));
    const signals = weighBehavior(readVisit(humanFacts({}, { q: questionsOf(times) })));
    return signals.find(({ code }) => code === 'answers_even')?.weight ?? 0;
  };
  t.equal(weightOf(24, 0.45), 0, 'a person’s spread');
  t.equal(weightOf(8, 0.25), 0, 'eight questions of a person may be as even');
  t.ok(weightOf(24, 0.25) > 0, 'two dozen are not');
  t.ok(weightOf(24, 0.1) > weightOf(24, 0.25));
  t.equal(weightOf(7, 0), 0, 'too few to say');
  t.end();
});

t.test('a touchpad’s tap weighs less than a driver’s click', (t) => {
  const weightOf = (beh: Partial<Behavior>) =>
    raised(beh).find(({ code }) => code === 'click_without_press')?.weight ?? 0;
  const tap: Partial<Behavior> = { clickDwell: [9, 0.8, 0.5, 0, 3] };
  t.ok(weightOf(tap) < weightOf({ ...tap, coalesced: [400, 1, 0, 1, 1] }));
  t.ok(weightOf({ ...tap, coalesced: [400, 1, 0, 1, 1] }) < weightOf(driverBehavior));
  t.end();
});

t.test('keys between whole milliseconds are no keyboard of Linux; few of them, and other systems, say nothing', (t) => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
  const has = (userAgent: string, beh: Partial<Behavior>) => {
    const ua = { ua: userAgent, brands: null, mobile: false, platform: null };
    const facts = humanFacts({ userAgent }, { ua, beh: { ...humanBody().beh, ...beh } });
    const { body } = facts.probe ?? {};
    if (!body) throw new Error('the sample has a probe');
    const probe = { body, transport: { ...humanTransport, userAgent } };
    return weighBehavior(readVisit({ ...facts, probe })).some(({ code }) => code === 'key_clock');
  };
  t.ok(has(linux, { keys: 60, keyFineTimes: 58 }));
  t.notOk(has(linux, { keys: 60, keyFineTimes: 6 }));
  t.notOk(has(linux, { keys: 6, keyFineTimes: 6 }));
  t.notOk(has(chromeOnWindows, { keys: 60, keyFineTimes: 58 }));
  t.end();
});

t.test(
  'a desktop that emulates a phone and forges touches is reviewed; developers and phones with an extension are not',
  (t) => {
    const userAgent =
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36';
    const view = { w: 412, h: 915, availW: 412, availH: 915, outerW: 412, outerH: 915, innerW: 412, innerH: 915 };
    const desktop = { plugins: 5, pdf: true, cookies: true, storage: true, fonts: 'f0f1f2f3' };
    const forged = {
      touches: 12,
      touchForce: [12, 0.546, 0.094, 0.417, 0.668],
      touchRadius: [12, 10.454, 0.825, 9.27, 11.771],
      motion: null,
    } as const;
    const replyTo = (over: Partial<ProbeBody> = {}, beh: object = {}) => {
      const body = humanBody({
        ua: { ua: userAgent, brands: ['Chromium;156'], mobile: true, platform: 'Android', model: 'Pixel 8' },
        hw: { cores: 8, memory: 8, touch: 5, platform: 'Linux armv81' },
        scr: { ...view, dpr: 2.625, depth: 24 },
        lies: ['worker.platform'],
        gfx: { vendor: null, renderer: null, canvas: 'cc00cc00', stable: true, audio: 124.08 },
        env: desktop,
        ...over,
        beh: { ...touchBehavior, ...forged, ...beh },
      });
      const transport = { userAgent, acceptLanguage: 'de-DE,de;q=0.9', hintPlatform: '"Android"', hintMobile: '?1' };
      const { recommendation, evidence } = scoreFacts(cleanFacts({ userAgent, probe: { body, transport } })).reply;
      return { recommendation, codes: evidence.against.map(({ code }) => code) };
    };
    t.match(replyTo(), { recommendation: 'review', codes: ['touch_forged', 'lies_worker'] });
    const lower = { ...view, innerH: 760, dpr: 2.625, depth: 24 };
    t.match(replyTo({ scr: lower }), { recommendation: 'review' }, 'a view that leaves room for the bars of a browser');
    const phone = { ...desktop, plugins: 0, pdf: false };
    const people = {
      'a developer’s mouse': replyTo({}, { touchForce: [12, 1, 0, 1, 1], touchRadius: [12, 11.5, 0, 11.5, 11.5] }),
      'a phone that changes its platform': replyTo({ scr: lower, env: phone }),
      'a phone that fills the screen': replyTo({ lies: [], env: phone }),
      'a phone that moves': replyTo({}, { motion: [600, 0.4, 0.3, 0, 2.1] }),
    };
    for (const [name, { recommendation, codes }] of Object.entries(people)) {
      t.equal(recommendation, 'allow', name);
      t.notOk(codes.includes('touch_forged'), name);
    }
    t.end();
  },
);

t.test('a desktop that calls itself a phone is judged by its mouse and keyboard, unless it was touched', (t) => {
  const facts = phoneFacts();
  const emulated = (platform: string, touches: number) => {
    const { body } = facts.probe ?? {};
    if (!facts.probe || !body) throw new Error('a phone has a probe');
    const beh = { ...driverBehavior, touches };
    return { ...facts, probe: { ...facts.probe, body: { ...body, hw: { ...body.hw, platform }, beh } } };
  };
  const codes = (platform: string, touches: number) =>
    weighBehavior(readVisit(emulated(platform, touches)))
      .filter(({ weight }) => weight > 0)
      .map(({ code }) => code);
  t.ok(codes('Linux x86_64', 0).includes('key_without_press'));
  t.ok(codes('Win32', 0).includes('click_centred'));
  t.same(codes('Win32', 12), [], 'developer tools turn a mouse into touches');
  t.same(codes('iPhone', 0), [], 'a screen reader clicks without touches');
  t.end();
});

const androidAgent = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0';
const androidPhone = `${androidAgent} Mobile Safari/537.36`;

/** Codes of a visit that calls itself this browser. */
const codesBy = (userAgent: string, beh: Behavior, over: Partial<ProbeBody> = {}): string[] => {
  const { probe, ...facts } = phoneFacts();
  if (!probe) throw new Error('a phone has a probe');
  const body = { ...probe.body, ua: { ua: userAgent }, beh, ...over };
  const visit = { ...facts, userAgent, probe: { body, transport: { ...probe.transport, userAgent } } };
  return weighBehavior(readVisit(visit)).map(({ code }) => code);
};

t.test('a mouse alone is no phone’s; touches, screen readers, tablets and the unmeasured are', (t) => {
  const mouse: Behavior = { ...humanBody().beh, touches: 0, clicks: 5, clickSettle: [5, 120, 40, 60, 240] };
  const has = (beh: Behavior, userAgent = androidPhone) =>
    codesBy(userAgent, { ...mouse, ...beh }).includes('phone_with_mouse');
  t.ok(has({}));
  t.ok(has({}, safariOnPhone));
  t.notOk(has({ touches: 1 }));
  t.notOk(has({ touches: null }), 'unmeasured');
  t.notOk(has({ moves: 0 }), 'a screen reader presses without a move');
  t.notOk(has({ clickSettle: null }), 'a pen');
  t.notOk(has({}, `${androidAgent} Safari/537.36`), 'a tablet');
  t.notOk(has({}, safariOnPhone.replaceAll('iPhone', 'iPad')), 'a tablet');
  t.notOk(has({}, chromeOnWindows));
  for (const desktop of [{ ua: { ua: chromeOnWindows } }, { hw: { platform: 'Win32' } }])
    t.notOk(codesBy(androidPhone, mouse, desktop).includes('phone_with_mouse'), 'the device axis names it');
  t.end();
});

t.test('touches speak for a phone of Android only if it moves; a rack stands still', (t) => {
  const has = (userAgent: string, motion: NonNullable<Behavior['motion']> | null) =>
    codesBy(userAgent, { ...touchBehavior, motion }).includes('touch_humanlike');
  t.ok(has(androidPhone, [300, 0.3, 0.2, 0, 1.4]));
  t.notOk(has(androidPhone, null));
  t.notOk(has(androidPhone, [300, 0, 0, 0, 0]));
  t.ok(has(safariOnPhone, null), 'Safari asks its user before it reports motion');
  t.end();
});

t.test('rules for a mouse and a keyboard leave phones alone', (t) => {
  const facts = phoneFacts();
  const beh = {
    ...facts.probe?.body.beh,
    keyDwell: [20, 0, 0, 0, 0] as const,
    keyNoCode: 20,
    inputNoKey: 9,
    clickDwell: [9, 0, 0, 0, 0] as const,
  };
  const phone = { ...facts, probe: facts.probe && { ...facts.probe, body: { ...facts.probe.body, beh } } };
  t.same(
    weighBehavior(readVisit(phone)).filter(({ weight }) => weight > 0),
    [],
  );
  t.end();
});

t.test('a driver’s input has nothing in its favour', (t) => {
  const driver = automatedVisits['playwright headful, flag removed'];
  t.ok(driver !== undefined && weighBehavior(readVisit(driver)).every(({ weight }) => weight > 0));
  t.end();
});
