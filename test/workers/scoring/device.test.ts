import t from 'tap';
import type { ProbeBody, ProbeTransport } from '../../../src/contract/probe.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { weighDevice } from '../../../workers/scoring/device.js';
import { deviceRules } from '../../../workers/scoring/device-rules.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import {
  chromeOnWindows,
  cleanFacts,
  humanBody,
  humanFacts,
  humanTransport,
  safariOnPhone,
} from '../../helpers/facts.js';
import { phoneFacts } from '../../helpers/visits.js';

const raised = (facts: ScoreFacts) => weighDevice(readVisit(facts));
const codes = (body: Partial<ProbeBody>, over: Partial<ScoreFacts> = {}) =>
  raised(humanFacts(over, body)).map(({ code }) => code);
const codesOver = (transport: Partial<ProbeTransport>, over: Partial<ScoreFacts> = {}) =>
  raised(cleanFacts({ probe: { body: humanBody(), transport: { ...humanTransport, ...transport } }, ...over })).map(
    ({ code }) => code,
  );

t.test('a consistent browser speaks for itself, and a phone as well', (t) => {
  t.same(codes({}), ['device_consistent']);
  t.same(
    raised(phoneFacts()).map(({ code }) => code),
    ['device_consistent'],
  );
  t.same(codes({ lies: undefined as never }), [], 'but only where every comparison was made');
  t.end();
});

t.test('automation is named by each of its traces', (t) => {
  t.same(codes({ auto: { webdriver: true } }), ['webdriver']);
  t.same(codes({ auto: { webdriver: false, globals: ['cdc_x'] } }), ['automation_globals']);
  t.same(codes({ auto: { debugStack: true, debugGetter: false } }), ['debugging_protocol']);
  t.same(codes({ gfx: { renderer: 'ANGLE (Google, SwiftShader)' } }), ['software_renderer']);
  t.same(codes({ scr: { outerW: 800, outerH: 600, innerW: 1_280, innerH: 720, dpr: 1 } }), ['window_impossible']);
  t.not(
    codes({ scr: { outerW: 800, outerH: 600, innerW: 1_280, innerH: 720, dpr: 0.67 } })[0],
    'window_impossible',
    'a zoomed page is no tell',
  );
  t.end();
});

t.test('lies weigh by their check and number, and privacy tools little', (t) => {
  const weight = (lies: string[]) => raised(humanFacts({}, { lies })).map((signal) => [signal.code, signal.weight]);
  t.same(weight(['proxy.webdriver']), [['lies_proxy', 2]]);
  t.same(weight(['proxy.webdriver', 'proxy.a', 'proxy.b', 'proxy.c', 'proxy.d']), [['lies_proxy', 3.2]]);
  t.same(weight(['worker.gpu']), [['lies_worker', 1.6]]);
  t.same(weight(['frame.webdriver']), [['lies_frame', 1.2]]);
  t.same(weight(['own.webdriver']), [['lies_own', 0.7]]);
  t.same(weight(['proxy.toDataURL', 'proxy.getImageData']), [['lies_privacy', 0.5]]);
  t.same(weight(['unheard.of', 'nonsense']), []);
  t.end();
});

t.test('page, connection and caller are compared', (t) => {
  t.same(codesOver({ userAgent: safariOnPhone, hintPlatform: null, hintMobile: null }), ['agent_transport_mismatch']);
  t.same(codesOver({}, { userAgent: safariOnPhone }), ['agent_caller_mismatch']);
  t.same(codesOver({ acceptLanguage: 'ru' }), ['language_mismatch']);
  t.same(codesOver({ hintPlatform: '"Linux"' }), ['hint_mismatch']);
  t.same(codesOver({ hintMobile: '?1' }), ['hint_mismatch']);
  t.same(codes({ hw: { platform: 'Linux x86_64' } }), ['platform_contradiction']);
  t.same(
    codesOver({ userAgent: null, acceptLanguage: null, hintPlatform: null, hintMobile: null }),
    [],
    'what was not sent contradicts nothing',
  );
  t.end();
});

t.test('developer tools that show a page as on a phone are one cause, and count once', (t) => {
  const facts = phoneFacts();
  const shown = (listening: boolean) => {
    const { body } = facts.probe ?? {};
    if (!facts.probe || !body) throw new Error('a phone has a probe');
    const auto = { webdriver: false, debugStack: listening, debugGetter: listening };
    return { ...facts, probe: { ...facts.probe, body: { ...body, auto, hw: { ...body.hw, platform: 'Win32' } } } };
  };
  const weights = (listening: boolean) => raised(shown(listening)).map(({ code, weight }) => [code, weight]);
  t.same(weights(false), [['platform_contradiction', 1.8]]);
  t.same(new Map(weights(true) as [string, number][]).get('platform_contradiction'), 0.6);
  t.ok(scoreFacts(shown(true)).reply.score < calibrationDefaults.reviewLow);
  t.end();
});

t.test('a bot’s user agent counts where it is the browser’s own; a caller’s mistake is only a mismatch', (t) => {
  const declared = (text: string) => raised(cleanFacts({ userAgent: text })).map(({ code }) => code);
  t.same(declared('curl/8.5.0'), ['declared_bot']);
  t.same(declared(chromeOnWindows.replace('Chrome/', 'HeadlessChrome/')), ['headless_user_agent']);
  t.same(codesOver({}, { userAgent: 'axios/1.7.0' }), ['agent_caller_mismatch']);
  const headless = chromeOnWindows.replace('Chrome/', 'HeadlessChrome/');
  t.ok(codesOver({}, { userAgent: headless }).includes('headless_user_agent'), 'a headless browser made the call');
  t.same(codes({ ua: { brands: ['HeadlessChrome;142', 'Chromium;142'] } }), ['headless_user_agent']);
  for (const imitation of ['jsdom/26.1.0', 'HappyDOM/20.0.0'])
    t.same(declared(`Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) ${imitation}`), [
      'declared_bot',
    ]);
  t.end();
});

t.test('an agent’s signature counts by its outcome', (t) => {
  const outcome = (agent: ScoreFacts['agent']) =>
    raised(cleanFacts({ agent })).map((signal) => [signal.code, signal.weight]);
  t.same(outcome({ outcome: 'verified', agent: 'a', reason: null }), [['agent_signature_verified', 0]]);
  t.same(outcome({ outcome: 'invalid', agent: null, reason: 'expired.' }), [['agent_signature_invalid', 1.5]]);
  t.same(outcome({ outcome: 'unverified', agent: null, reason: null }), [['agent_signature_unverified', 0]]);
  t.end();
});

t.test('nothing that a probe says is bound', (t) => {
  t.ok(Object.values(deviceRules).every((rule) => (rule.class as string) !== 'bound'));
  t.end();
});
