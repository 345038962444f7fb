/**
 * All page loads of a session count: what one of them gives away, no other takes back.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import type { ProbeFacts, ScoreFacts } from '../../../src/contract/facts.js';
import type { ProbeBody } from '../../../src/contract/probe.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { poolStatistics } from '../../../workers/scoring/usage.js';
import { anyBody } from '../../helpers/any-facts.js';
import { cleanFacts, humanBody, humanTransport } from '../../helpers/facts.js';
import { automatedVisits } from '../../helpers/visits.js';

const minuteMs = 60_000;
const page = (body: ProbeBody): ProbeFacts => ({ body, transport: humanTransport });
const session = (first: ProbeFacts, ...others: readonly ProbeFacts[]): ScoreFacts =>
  cleanFacts({ probe: { ...first, others } });
const codes = (facts: ScoreFacts) => scoreFacts(facts).reply.reasons.map(({ code }) => code);

t.test(
  'a clean load takes nothing back from an incriminating probe of the same session, before it or after it',
  (t) => {
    const clean = page(humanBody());
    for (const [name, { probe }] of Object.entries(automatedVisits)) {
      if (probe === null) continue;
      const alone = scoreFacts(cleanFacts({ probe })).reply.score;
      for (const facts of [session(probe, clean), session(clean, probe), session(clean, clean, probe, clean)])
        t.ok(scoreFacts(facts).reply.score >= alone, `${name}: ${scoreFacts(facts).reply.score} and not ${alone}`);
    }
    fc.assert(
      fc.property(anyBody, anyBody, fc.boolean(), (one, { nonce, ...rest }, isFirst) => {
        const other = { ...rest, nonce: `${nonce}-of-another-load` };
        const alone = scoreFacts(session(page(one))).reply.score;
        const both = isFirst ? session(page(one), page(other)) : session(page(other), page(one));
        assert.ok(scoreFacts(both).reply.score >= alone);
      }),
      { numRuns: 400 },
    );
    t.end();
  },
);

t.test('several device tokens and pages open at once are findings of their own, pages in a row are none', (t) => {
  const at = humanBody().at;
  const second = (over: Partial<ProbeBody>) =>
    page(humanBody({ nonce: 'nonce-01', at: at + 3 * minuteMs, up: 2 * minuteMs, ...over }));
  const first = page(humanBody());
  t.notOk(codes(session(first, second({}))).some((code) => ['device_tokens_several', 'pages_at_once'].includes(code)));
  t.ok(codes(session(first, second({ ids: { token: 'another', kept: false } }))).includes('device_tokens_several'));
  t.notOk(codes(session(first, second({ ids: { token: null } }))).includes('device_tokens_several'));
  t.ok(codes(session(first, second({ at: at + 1_000, up: 80_000 }))).includes('pages_at_once'));
  t.equal(scoreFacts(session(first, second({}))).reply.verdictClass, 'human');
  t.end();
});

t.test('questions and input of several pages count together', (t) => {
  const question = (questionId: string) => ({
    questionId,
    timeOnQuestionMs: 400,
    mouseMoveCount: 0,
    keyCount: 0,
    pasteCount: 0,
    focusEntries: 1,
    focusExits: 1,
  });
  const pages = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
    page(humanBody({ nonce: `nonce-${name}`, q: [question(name)] })),
  );
  const [first, ...others] = pages as [ProbeFacts, ...ProbeFacts[]];
  t.notOk(codes(session(first)).includes('questions_rushed'));
  t.ok(codes(session(first, ...others)).includes('questions_rushed'));
  const click = (nonce: string) => page(humanBody({ nonce, beh: { clicks: 1, clickDwell: [1, 0.1, 0, 0.1, 0.1] } }));
  const one = scoreFacts(session(click('nonce-a'))).reply.categories.behavior;
  t.ok(
    scoreFacts(session(click('nonce-a'), click('nonce-b'), click('nonce-c'))).reply.categories.behavior > one,
    'one short press a page adds up',
  );
  t.end();
});

t.test('statistics of several samples are those of all of them', (t) => {
  const describe = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return {
      count: values.length,
      mean,
      deviation: Math.sqrt(squares / values.length),
      min: Math.min(...values),
      max: Math.max(...values),
    };
  };
  const numbers = fc.array(fc.integer({ min: -100, max: 1_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(numbers, numbers, numbers, (a, b, c) => {
      const pooled = poolStatistics([describe(a), null, describe(b), describe(c)]);
      const whole = describe([...a, ...b, ...c]);
      for (const name of ['count', 'mean', 'deviation', 'min', 'max'] as const)
        assert.ok(Math.abs((pooled?.[name] ?? NaN) - whole[name]) < 1e-6, name);
    }),
  );
  t.equal(poolStatistics([null, null]), null);
  t.end();
});

t.test(
  'a message that a later one of its page replaced still speaks, and its counts are not added to those of the later one',
  (t) => {
    const { at } = humanBody();
    const beh = humanBody().beh ?? {};
    const driven = page(
      humanBody({ seq: 3, phase: 'update', at: at + minuteMs, up: 2 * minuteMs, beh: { ...beh, untrusted: 900 } }),
    );
    const since = page(humanBody({ seq: 4, at: at + 2 * minuteMs, up: 3 * minuteMs }));
    const found = codes(session(since, driven));
    t.ok(found.includes('input_untrusted'), 'the replaced update’s');
    t.notOk(found.includes('pages_at_once'), 'one page is not two');
    t.notOk(codes(session(since)).includes('input_untrusted'));
    const early = page(
      humanBody({ seq: 3, beh: { clicks: 2, clickDwell: [2, 0.1, 0, 0.1, 0.2], moves: 2, untrusted: 0 } }),
    );
    t.ok(codes(session(early)).includes('click_without_press'), 'two taps on a touchpad, before the hand was seen');
    t.notOk(
      codes(session(since, early)).includes('click_without_press'),
      'a hand that goes on is judged by all it did',
    );
    const doubled = page(humanBody({ seq: 3, beh: { ...beh, pasteChars: 150, keys: 0 } }));
    const newest = page(humanBody({ seq: 4, beh: { ...beh, pasteChars: 160, keys: 0 } }));
    t.same(codes(session(newest, doubled)), codes(session(newest)), 'counts since the load are counted once');
    t.end();
  },
);
