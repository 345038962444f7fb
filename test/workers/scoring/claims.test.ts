/** A forged probe: what cannot have happened speaks against its session, and whatever it says in favour counts for nothing. */
import t from 'tap';
import type { ProbeFacts } from '../../../src/contract/facts.js';
import type { ProbeBody, ProbeTransport } from '../../../src/contract/probe.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts, humanBody, humanTransport, scoredAtMs } from '../../helpers/facts.js';

const human = humanBody();
const received = (atMs: number, over: Partial<ProbeTransport> = {}): ProbeTransport => ({
  ...humanTransport,
  origin: 'https://survey.example',
  receivedAtMs: atMs,
  ...over,
});

/** A page of 90 s: its load came at its first second, its update at the end. */
const honest: ProbeFacts = {
  body: human,
  transport: received(scoredAtMs - 89_000),
  update: { transport: received(scoredAtMs), pageMs: 89_000, clockMs: 89_000 },
};

const questionOf = (timeOnQuestionMs: number) => ({
  questionId: 'q1',
  timeOnQuestionMs,
  mouseMoveCount: 1,
  keyCount: 0,
  pasteCount: 0,
  focusEntries: 1,
  focusExits: 0,
});

const findingsOf = (probe: ProbeFacts, others?: readonly ProbeFacts[]) => {
  const { reply } = scoreFacts(cleanFacts({ probe: { ...probe, ...(others && { others }) } }));
  const listed = [...reply.evidence.against, ...reply.evidence.for, ...reply.evidence.notes];
  return { reply, codes: listed.map(({ code }) => code) };
};
const withBehavior = (beh: Partial<NonNullable<ProbeBody['beh']>>): ProbeFacts => ({
  ...honest,
  body: humanBody({ beh: { ...human.beh, ...beh } }),
});

t.test('an honest page has nothing against it, and speaks for its session', (t) => {
  const { reply, codes } = findingsOf(honest);
  t.equal(reply.score, 0);
  t.ok(codes.includes('pointer_humanlike') && codes.includes('device_consistent'));
  t.end();
});

t.test('figures that no events have are found', (t) => {
  const impossible: Partial<NonNullable<ProbeBody['beh']>>[] = [
    { interval: [400, 300, 12.5, 6.9, 290] },
    { interval: [400, 18.2, 150, 6.9, 290] },
    { clickDwell: [9, 78, 2, 44, 120] },
    { keyDwell: [40, 41, 25, 40, 170] },
    { keyDwell: [40.5, 92, 25, 40, 170] },
    { keyDwell: [41, 92, 25, 40, 170] },
    { interval: [421, 18.2, 12.5, 6.9, 290] },
    { fineTimes: 421 },
    { clickBare: 10 },
    { pasteChars: 4 },
    { straight: 1.4 },
  ];
  for (const beh of impossible) {
    const { reply, codes } = findingsOf(withBehavior(beh));
    t.ok(codes.includes('statistics_impossible'), JSON.stringify(beh));
    t.notOk(codes.includes('pointer_humanlike') || codes.includes('device_consistent'), 'no trust');
    t.not(reply.recommendation, 'allow');
  }
  t.end();
});

t.test('times that cannot have passed are found', (t) => {
  const update = honest.update ?? { transport: received(scoredAtMs), pageMs: 0, clockMs: 0 };
  const impossible: readonly ProbeFacts[] = [
    // Observed for longer than the page lived, hidden for longer, a question of ten minutes, more events than time.
    withBehavior({ ms: 120_000 }),
    { ...honest, body: humanBody({ page: { hiddenMs: 500_000 } }) },
    { ...honest, body: humanBody({ q: [questionOf(600_000)] }) },
    withBehavior({ ms: 2_000 }),
    // A page that grew younger, one that aged by an hour within 89 s.
    { ...honest, update: { ...update, pageMs: -1 } },
    { ...honest, update: { ...update, pageMs: 3_600_000, clockMs: 3_600_000 } },
  ];
  for (const probe of impossible) {
    const { reply, codes } = findingsOf(probe);
    t.ok(codes.includes('times_impossible'), JSON.stringify(probe.update));
    t.equal(reply.recommendation, 'review');
  }
  const clock = findingsOf({ ...honest, update: { ...update, clockMs: -600_000 } });
  t.ok(clock.codes.includes('times_impossible'), 'a clock that went back');
  t.equal(clock.reply.recommendation, 'allow', 'people set their clocks');
  t.ok(findingsOf({ ...honest, transport: received(scoredAtMs + 5 * 86_400_000) }).codes.includes('probe_late'));
  t.end();
});

t.test('slow networks, sleeping machines and clocks a few hours off are left alone', (t) => {
  const update = { transport: received(scoredAtMs), pageMs: 89_000, clockMs: 89_000 };
  for (const probe of [
    { ...honest, transport: received(scoredAtMs - 40_000) },
    { ...honest, update: { ...update, clockMs: 9 * 3_600_000, transport: received(scoredAtMs + 9 * 3_600_000) } },
    { ...honest, body: humanBody({ at: scoredAtMs - 8 * 3_600_000 }) },
  ])
    t.equal(findingsOf(probe).reply.score, 0);
  t.end();
});

t.test('a long visit told in one message is not believed to be a person’s', (t) => {
  const { codes, reply } = findingsOf({ body: human, transport: received(scoredAtMs) });
  t.notOk(codes.includes('pointer_humanlike'));
  t.equal(reply.score, 0, 'and nothing is against it: updates get lost');
  t.end();
});

t.test('a sender that is no browser, or another one within a page, is found', (t) => {
  const bare = { acceptLanguage: null, origin: null };
  t.ok(findingsOf({ ...honest, transport: received(scoredAtMs - 89_000, bare) }).codes.includes('sender_no_browser'));
  const changed = {
    ...honest,
    update: { transport: received(scoredAtMs, { acceptLanguage: 'fr-FR' }), pageMs: 89_000, clockMs: 89_000 },
  };
  t.ok(findingsOf(changed).codes.includes('sender_changed'));
  t.end();
});

t.test('a page that takes back what it counted is found', (t) => {
  const earlier = { ...honest, body: humanBody({ seq: 1, phase: 'update', beh: { ...human.beh, clicks: 30 } }) };
  t.ok(findingsOf(honest, [earlier]).codes.includes('counts_reversed'));
  t.end();
});

t.test('input that came in other sessions speaks against this one, and against the independence of both', (t) => {
  const once = findingsOf({ ...honest, transport: received(scoredAtMs - 89_000, { repeats: 1 }) });
  const often = findingsOf({
    ...honest,
    update: { transport: received(scoredAtMs, { repeats: 4 }), pageMs: 89_000, clockMs: 89_000 },
  });
  t.ok(once.codes.includes('input_repeated') && often.codes.includes('input_repeated'));
  t.ok(often.reply.score > once.reply.score);
  t.equal(often.reply.recommendation, 'review');
  t.notOk(often.codes.includes('pointer_humanlike'));
  t.match([once.reply.independence.band, often.reply.independence.band], ['shared', 'concentrated']);
  t.match(often.reply.independence.factors[0], /4 other sessions had the same input/);
  t.equal(rules['input_repeated']?.axis, 'behavior');
  t.end();
});
