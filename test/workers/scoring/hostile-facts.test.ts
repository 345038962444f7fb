/**
 * Forbidden effects of a respondent’s own bytes on a score: names from `Object.prototype` as values, a person-like act beside a driver’s own word, a
 * probe of a few fields, and what may not move risk at all. Each test is named after the sentence that it holds.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { ProbeBody } from '../../../src/contract/probe.js';
import { ScoreReply } from '../../../src/contract/score.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyBody, anyFacts } from '../../helpers/any-facts.js';
import { cleanFacts, humanBody, humanFacts, humanTransport } from '../../helpers/facts.js';

const inherited = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];
const anyName = fc.constantFrom(...inherited);
const isReply = Compile(ScoreReply);
const isBody = Compile(ProbeBody);

t.test('names from Object.prototype, wherever a probe may carry text, are text and nothing else', (t) => {
  const hostile = fc.tuple(anyBody, anyName, anyName, anyName).map(([body, first, second, third]) => ({
    ...body,
    auto: { ...body.auto, globals: [first, second] },
    lies: [`${first}.x`, `${second}.${third}`, `proxy.${first}`, third],
    gaps: [first, second],
    ua: { ...body.ua, platform: first, model: second, arch: third, brands: [first] },
    hw: { ...body.hw, platform: second },
    loc: { zone: `${first}/${second}`, language: third, languages: [first] },
    gfx: { ...body.gfx, vendor: third, renderer: first, canvas: first.slice(0, 16) },
  }));
  fc.assert(
    fc.property(anyFacts, hostile, anyName, (facts, body, name) => {
      assert.ok(isBody.Check(body));
      const transport = { userAgent: name, acceptLanguage: name, hintPlatform: name, hintMobile: name };
      const { reply } = scoreFacts({ ...facts, measured: true, probe: { body, transport } });
      assert.ok(isReply.Check(reply));
    }),
    { numRuns: 600 },
  );
  for (const name of inherited) {
    const plain = scoreFacts(humanFacts({}, { lies: [`${name}.x`] })).reply;
    t.same(
      plain.reasons.filter(({ code }) => code.startsWith('lies_')),
      [],
      `${name}.x names no check`,
    );
    t.notOk(
      scoreFacts(humanFacts({}, { ua: { ...humanBody().ua, platform: name } })).reply.reasons.some(
        ({ code }) => code === 'platform_contradiction',
      ),
      `${name} is no system`,
    );
  }
  t.end();
});

const automation: readonly Partial<ProbeBody>[] = [
  { auto: { webdriver: true, globals: [] } },
  { auto: { webdriver: false, globals: ['cdc_x'] } },
];
const goodRecord: Partial<ScoreFacts> = {
  history: {
    respondent: { n: 40, fraud: 0, confirmedClawbacks: 0 },
    source: { n: 900, fraud: 0 },
    subSource: { n: 900, fraud: 0 },
  },
};

t.test('findings in favour from the forgeable probe never offset its own contradictions', (t) => {
  for (const groups of automation) {
    const acting = scoreFacts(humanFacts({}, groups)).reply;
    const still = scoreFacts(humanFacts({}, { ...groups, beh: {} })).reply;
    t.equal(acting.score, still.score, 'a person-like act takes nothing from a driver’s own word');
    t.equal(acting.recommendation, 'review');
    t.same(acting.evidence.for, []);
  }
  fc.assert(
    fc.property(anyBody, (any) => {
      const body = { ...any, beh: humanBody().beh ?? {} };
      const facts = (beh: NonNullable<ProbeBody['beh']>) =>
        cleanFacts({ probe: { body: { ...body, beh }, transport: humanTransport } });
      const acting = scoreFacts(facts(body.beh ?? {})).reply;
      assert.ok(acting.score >= scoreFacts(facts({})).reply.score);
    }),
  );
  t.end();
});

t.test('a high-severity automation finding is never human, nor does little or nothing speak against it', (t) => {
  for (const groups of automation) {
    for (const over of [{}, goodRecord, { calibration: { ...calibrationDefaults, reviewLow: 70 } }]) {
      const { reply } = scoreFacts(humanFacts(over, groups));
      t.not(reply.verdictClass, 'human');
      t.notMatch(reply.evidence.summary, /[Ll]ittle or no evidence/);
      t.ok(reply.score >= 40, `${reply.score}`);
    }
  }
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { verdictClass, evidence, reasons } = scoreFacts(facts).reply;
      const told = reasons.some(({ code }) => rules[code]?.group === 'automation' && rules[code].severity === 'high');
      if (!told) return;
      assert.notEqual(verdictClass, 'human');
      assert.doesNotMatch(evidence.summary, /[Ll]ittle or no evidence/);
    }),
    { numRuns: 400 },
  );
  t.end();
});

t.test('a probe of five fields is not measured', (t) => {
  const head = {
    v: 1,
    sdk: 'x',
    projectKey: 'pk_0',
    sessionId: 's',
    nonce: 'nonce-00',
    seq: 0,
    phase: 'load',
    at: 0,
    up: 0,
  } as const;
  const { ua, auto, hw, scr } = humanBody();
  const few: readonly Partial<ProbeBody>[] = [
    { auto: { webdriver: false } },
    { ua: { ua: ua?.ua ?? null } },
    { ua: { ua: ua?.ua ?? null }, auto: { webdriver: false }, lies: [] },
    { ua: { ua: ua?.ua ?? null }, auto: { webdriver: false }, lies: [], hw: { cores: 8 }, scr: { w: 1 } },
    { ua: ua ?? {}, auto: auto ?? {}, hw: hw ?? {}, scr: scr ?? {}, loc: { zone: null, language: null } },
  ];
  for (const groups of few) {
    const { reply } = scoreFacts(cleanFacts({ probe: { body: { ...head, ...groups }, transport: humanTransport } }));
    t.equal(reply.verdictClass, 'unknown', JSON.stringify(Object.keys(groups)));
    t.ok(reply.degradedSignals.includes('probe_unusable'));
  }
  t.equal(scoreFacts(humanFacts()).reply.verdictClass, 'human');
  t.end();
});

t.test('declaredCountryMatch never moves risk', (t) => {
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(null, 'DE', 'US', 'GB', 'TH'), (facts, declaredCountry) => {
      const risk = (of: ScoreFacts) => {
        const { score, recommendation, verdictClass, grlCompat, categories, stepUpIntensity } = scoreFacts(of).reply;
        return { score, recommendation, verdictClass, grlCompat, categories, stepUpIntensity };
      };
      assert.deepEqual(risk({ ...facts, declaredCountry }), risk(facts));
    }),
    { numRuns: 400 },
  );
  const declared = scoreFacts(cleanFacts({ declaredCountry: 'FR' })).reply;
  t.equal(declared.declaredCountryMatch, false);
  t.match(declared.evidence.notes, [{ code: 'declared_country_mismatch', strength: 'none' }]);
  t.end();
});

t.test('a signature that cannot be judged says nothing against anybody', (t) => {
  const agent = { outcome: 'unverified', agent: null, reason: 'unknown key.' } as const;
  const { reply } = scoreFacts(cleanFacts({ agent }));
  t.equal(reply.score, 0);
  t.match(reply.evidence.notes, [{ code: 'agent_signature_unverified', class: 'diagnostic', strength: 'none' }]);
  t.end();
});

t.test('a comparison that was not made is never credited', (t) => {
  const credited = (gaps: string[] | undefined) =>
    scoreFacts(humanFacts({}, gaps === undefined ? { gaps: undefined as never } : { gaps })).reply.reasons.some(
      ({ code }) => code === 'device_consistent',
    );
  t.equal(credited([]), true);
  t.equal(credited(['audio', 'fonts']), true);
  for (const gap of ['frames', 'worker', 'natives']) t.equal(credited([gap]), false, gap);
  t.equal(credited(undefined), false, 'a probe that does not tell what it compared');
  t.end();
});

t.test('with the counters away no probe is said to be missing, and the project’s score for that hits nobody', (t) => {
  const calibration = { ...calibrationDefaults, noProbeRiskScore: 60 };
  const away = cleanFacts({
    calibration,
    counts: null,
    history: null,
    probeRead: false,
    degraded: ['counters_unavailable'],
  });
  const { reply } = scoreFacts(away);
  t.equal(reply.score, 0);
  t.equal(reply.verdictClass, 'unknown');
  t.ok(reply.degradedSignals.includes('probe_unreadable') && !reply.degradedSignals.includes('client_probe_missing'));
  t.notOk(reply.reasons.some(({ code }) => code === 'client_probe_missing'));
  t.equal(scoreFacts(cleanFacts({ calibration })).reply.score, 60, 'where the store answered, missing is missing');
  t.end();
});
