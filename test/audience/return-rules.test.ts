/** The effect of a return on a place: the stronger source decides, in whatever order returns arrive. */
import assert from 'node:assert';
import fc from 'fast-check';
import t from 'tap';
import type { ReturnedBy } from '../../src/audience/reservation-store.js';
import { judgeReturn, type GivenReturn } from '../../src/audience/return-rules.js';
import type { ReturnStatus } from '../../src/contract/study-returns.js';
import {
  after,
  browser,
  confirmed,
  follow,
  given,
  inSurvey,
  released,
  type Place,
  type Step,
} from '../helpers/returns.js';

const sources = ['browser', 'survey', 'owner'] as const;
/** The answers of a source: none, a complete in time, one that came too soon, and the refusals. */
const answers = [null, 'complete', 'early', 'terminate', 'quality'] as const;
type Answer = (typeof answers)[number];
interface Said {
  readonly by: ReturnedBy;
  readonly answer: Exclude<Answer, null>;
}

const returnOf = (by: ReturnedBy, answer: Exclude<Answer, null>): GivenReturn =>
  answer === 'early' ? given(by, 5, 'complete', true) : given(by, 60, answer, true);

const ordersOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, n) => ordersOf(items.toSpliced(n, 1)).map((rest) => [item, ...rest]));

/** Every order of every answer of every source. */
const allOrders = (): readonly (readonly Said[])[] =>
  answers.flatMap((ofBrowser) =>
    answers.flatMap((ofSurvey) =>
      answers.flatMap((ofOwner) =>
        ordersOf(
          [ofBrowser, ofSurvey, ofOwner].flatMap((answer, n) =>
            answer === null ? [] : [{ by: sources[n] ?? 'owner', answer }],
          ),
        ),
      ),
    ),
  );

const strongestOf = (said: readonly Said[]): Said | undefined =>
  [...said].sort((one, other) => sources.indexOf(one.by) - sources.indexOf(other.by)).at(-1);

/** The end that the strongest answer gives to a place in the survey, or to a released one, which its browser alone does not end. */
function endOf(
  study: typeof confirmed | typeof browser,
  { by, answer, state = 'surveying' }: Said & Partial<Pick<Place, 'state'>>,
) {
  if (answer === 'early') return { state: 'completed', refusedFor: null, counts: false, completion: 'too_fast' };
  if (answer === 'complete') {
    const isBrowser = by === 'browser';
    const counts = !isBrowser || study.returns === 'browser';
    return { state: 'completed', refusedFor: null, counts, completion: isBrowser ? 'unconfirmed' : 'confirmed' };
  }
  const isLeft = by === 'browser' && state === 'released';
  return {
    state: isLeft ? 'released' : 'terminated',
    refusedFor: answer === 'quality' ? 'quality' : 'fit',
    counts: false,
  };
}

t.test('browser, survey and owner may come in any order: the strongest answer stands, while returns are taken', (t) => {
  let cases = 0;
  for (const [study, from] of [
    [confirmed, inSurvey],
    [browser, inSurvey],
    [confirmed, released],
    [browser, released],
  ] as const)
    for (const status of ['fielding', 'paused', 'completed'] as const)
      for (const ofBrowser of answers)
        for (const ofSurvey of answers)
          for (const ofOwner of answers) {
            const said: readonly Said[] = [ofBrowser, ofSurvey, ofOwner].flatMap((answer, n) =>
              answer === null ? [] : [{ by: sources[n] ?? 'owner', answer }],
            );
            const strongest = said.at(-1);
            if (strongest === undefined) continue;
            // One complete in time is enough if survey and owner report it.
            const isInTime = ofOwner === 'early' && ofSurvey === 'complete';
            for (const order of ordersOf(said)) {
              // The owner accepts an interview that others had called too early.
              const before = order.slice(
                0,
                order.findIndex(({ by }) => by === 'owner'),
              );
              const isAccepted = ofOwner === 'early' && strongestOf(before)?.answer === 'early';
              const answer = isInTime || isAccepted ? 'complete' : strongest.answer;
              const expected = endOf(study, { by: strongest.by, answer, state: from.state });
              const got = follow(
                study,
                order.map(({ by, answer }) => returnOf(by, answer)),
                { status, from },
              );
              const name = order.map(({ by, answer }) => `${by} ${answer}`).join(', ');
              // A refusal that follows a complete reverses it, so that the supplier learns of it.
              t.match(got, expected, `${study.returns} ${status} ${from.state}: ${name}`);
              t.notOk(got.counts && got.completion === 'reversed');
              cases += 1;
            }
          }
  t.equal(cases, 4 * 3 * (4 * 3 + 16 * 2 * 3 + 64 * 6), 'every order of every answer');
  t.end();
});

t.test('a rejection that is withdrawn changes the end of no order of returns, wherever both come between them', (t) => {
  const different: string[] = [];
  const paid: string[] = [];
  let cases = 0;
  for (const study of [confirmed, browser])
    for (const from of [inSurvey, released])
      for (const order of allOrders()) {
        const returns = order.map(({ by, answer }) => returnOf(by, answer));
        const endOfOrder = (steps: readonly Step[]): string => {
          const { state, completion, refusedFor, counts } = follow(study, steps, { from });
          return JSON.stringify([state, completion === 'reversed' ? null : completion, refusedFor, counts]);
        };
        for (const rejectedBy of ['dispute', 'outcome'] as const)
          for (let at = 0; at <= returns.length; at++) {
            const name = `${study.returns} ${from.state} ${rejectedBy} at ${at}: ${order.map(({ by, answer }) => `${by} ${answer}`).join(', ')}`;
            const rejected: readonly Step[] = [...returns.slice(0, at), { rejectedBy }, ...returns.slice(at)];
            if (rejectedBy === 'outcome' && follow(study, rejected, { from }).counts) paid.push(name);
            for (let until = at + 1; until <= rejected.length; until++) {
              const withdrawn = rejected.toSpliced(until, 0, 'withdrawn');
              if (endOfOrder(withdrawn) !== endOfOrder(returns)) different.push(`${name}, until ${until}`);
              cases += 1;
            }
          }
      }
  t.same(different.slice(0, 9), []);
  t.same(paid.slice(0, 9), [], 'an event that stands leaves no complete counted');
  t.ok(cases > 10_000, `${cases} cases`);
  t.end();
});

/** The answer of a source that stands: its first one, and of the survey or the owner a check of the answers after a complete. */
const standingAnswer = (said: readonly Said[], by: ReturnedBy): Said | null => {
  const own = said.filter((each) => each.by === by);
  const isChecked = by !== 'browser' && own[0]?.answer === 'complete';
  return (isChecked ? own.find(({ answer }) => answer === 'quality') : undefined) ?? own[0] ?? null;
};

t.test(
  'however often sources answer, and whatever is rejected and withdrawn between, the strongest answer stands',
  (t) => {
    const said = fc.record({
      by: fc.constantFrom(...sources),
      answer: fc.constantFrom('complete' as const, 'terminate' as const, 'quality' as const),
    });
    const rejected = fc.record({ rejectedBy: fc.constantFrom('dispute' as const, 'outcome' as const) });
    const step: fc.Arbitrary<Said | Exclude<Step, GivenReturn>> = fc.oneof(
      { weight: 4, arbitrary: said },
      rejected,
      fc.constant('withdrawn' as const),
    );
    const isSaid = (each: Said | Exclude<Step, GivenReturn>): each is Said =>
      typeof each === 'object' && 'answer' in each;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 9 }),
        fc.constantFrom(confirmed, browser),
        fc.constantFrom(inSurvey, released),
        (steps, study, from) => {
          const returns = steps.filter(isSaid);
          const strongest = strongestOf(sources.flatMap((by) => standingAnswer(returns, by) ?? []));
          const all = steps.map((each) => (isSaid(each) ? returnOf(each.by, each.answer) : each));
          const { state, completion, refusedFor, counts } = follow(study, [...all, 'withdrawn'], { from });
          const expected =
            strongest === undefined
              ? { state: from.state, refusedFor: null, counts: false }
              : endOf(study, { ...strongest, state: from.state });
          const got = { state, refusedFor, counts, completion: completion === 'reversed' ? null : completion };
          assert.deepEqual(got, { completion: null, ...expected });
        },
      ),
      { numRuns: 5_000 },
    );
    t.end();
  },
);

t.test(
  'once the owner withdrew the rejection of a return, no repetition of it and no other source changes anything',
  (t) => {
    let cases = 0;
    for (const order of allOrders())
      for (const by of ['survey', 'owner'] as const) {
        const said = [...order.filter(({ answer }) => answer !== 'early'), { by, answer: 'quality' as const }];
        const returns = said.map(({ by, answer }) => returnOf(by, answer));
        if (follow(confirmed, returns).completion !== 'reversed') continue;
        // The owner may still follow a survey whose refusal they withdrew, but repeats nothing of their own.
        const isOwn = said.some(({ by, answer }) => by === 'owner' && (answer === 'quality' || answer === 'terminate'));
        const others = isOwn ? returns : returns.filter(({ by }) => by !== 'owner');
        const name = said.map(({ by, answer }) => `${by} ${answer}`).join(', ');
        const { taught: _taught, ...end } = follow(confirmed, [
          ...returns,
          'withdrawn by the owner',
          ...others,
          ...others,
        ]);
        t.same(end, { state: 'completed', completion: 'confirmed', refusedFor: null, counts: true }, name);
        cases += 1;
      }
    t.ok(cases > 20, `${cases} cases`);
    t.end();
  },
);

t.test('a draft and a cancelled study take no return', (t) => {
  for (const status of ['draft', 'cancelled'] as const)
    for (const by of sources)
      for (const answer of ['complete', 'early', 'terminate', 'quality'] as const)
        t.match(follow(confirmed, [returnOf(by, answer)], { status }), { state: 'surveying', completion: null });
  t.end();
});

t.test('the browser alone confirms nothing and teaches nothing; it counts only where the study says so', (t) => {
  t.match(follow(confirmed, [given('browser', 60)]), { completion: 'unconfirmed', counts: false, taught: '' });
  t.match(follow(browser, [given('browser', 60)]), { completion: 'unconfirmed', counts: true, taught: '' });
  t.match(follow(confirmed, [given('browser', 60, 'terminate')]), { completion: null, counts: false, taught: '' });
  t.end();
});

t.test('survey and browser may come in either order, and again', (t) => {
  const orders: readonly (readonly GivenReturn[])[] = [
    [given('browser', 60), given('survey', 61)],
    [given('survey', 60), given('browser', 61)],
    [given('survey', 60), given('survey', 90), given('browser', 91, 'terminate')],
    [given('browser', 60, 'terminate'), given('survey', 61)],
  ];
  for (const order of orders)
    t.match(follow(confirmed, order), { completion: 'confirmed', counts: true, taught: 'complete' });
  const refused = [given('browser', 60), given('survey', 61, 'quality')];
  t.match(follow(confirmed, refused), { completion: null, counts: false, taught: 'quality' });
  t.match(follow(confirmed, [given('survey', 60, 'terminate')]), { completion: null, counts: false, taught: 'fit' });
  t.end();
});

t.test(
  'sooner than the least time is too fast, whoever says so first, until the owner reports in time or accepts it',
  (t) => {
    const tooFast = { completion: 'too_fast', counts: false, taught: '' };
    for (const order of [
      [given('browser', 0)],
      [given('survey', 29)],
      [given('browser', 1), given('survey', 2)],
      [given('survey', 1), given('browser', 600)],
      [given('survey', 1), given('survey', 600)],
      [given('browser', 60), given('survey', 5, 'complete', true)],
    ]) {
      t.match(follow(confirmed, order), tooFast);
      const accepted = { completion: 'confirmed', counts: true, taught: 'complete' };
      t.match(follow(confirmed, [...order, given('owner', 700)]), accepted, 'the owner reports in time');
      const insisted = { ...given('owner', 5, 'complete', true), ignoresMinimum: true };
      t.match(follow(confirmed, [...order, insisted]), accepted, 'the owner accepts any length');
      t.match(follow(confirmed, [...order, given('owner', 5, 'complete', true)]), accepted, 'the owner has seen it');
    }
    const own = [given('owner', 5, 'complete', true), given('owner', 6, 'complete', true), given('owner', 700)];
    t.match(follow(confirmed, own), tooFast, 'a retry accepts nothing');
    const [report = given('owner', 5), ...retries] = own;
    for (const weaker of [given('survey', 6), given('browser', 700)])
      t.match(follow(confirmed, [report, weaker, ...retries]), tooFast, 'nor after a weaker source');
    const insisted = { ...given('owner', 5, 'complete', true), ignoresMinimum: true };
    t.match(follow(confirmed, [...own, insisted]), { completion: 'confirmed', counts: true, taught: 'complete' });
    t.match(follow(browser, [given('browser', 1)]), tooFast);
    for (const study of [confirmed, browser])
      for (const early of ['complete', 'terminate', 'quality'] as const)
        t.match(
          follow(study, [given('browser', 1, early), given('survey', 600)]),
          { completion: 'confirmed', counts: true, taught: 'complete' },
          `what a browser claims early (${early}) spoils no later return of the survey`,
        );
    t.match(judgeReturn(confirmed, inSurvey, given('survey', 30)), { completion: 'confirmed' });
    t.match(judgeReturn({ ...confirmed, minimumSeconds: 0 }, inSurvey, given('survey', 0)), {
      completion: 'confirmed',
    });
    t.end();
  },
);

t.test('the owner confirms or ends what they reported too early themselves, and the survey ends its own', (t) => {
  const early = given('owner', 5, 'complete', true);
  const accepted = { completion: 'confirmed', counts: true, taught: 'complete' };
  t.match(follow(confirmed, [early, given('owner', 60, 'complete', true)]), accepted, 'a later time that is given');
  t.match(follow(confirmed, [early, given('owner', 29, 'complete', true)]), { completion: 'too_fast', counts: false });
  for (const by of ['survey', 'owner'] as const)
    for (const [status, refusedFor] of [
      ['terminate', 'fit'],
      ['quality', 'quality'],
    ] as const) {
      const ended = { state: 'terminated', completion: null, refusedFor, counts: false, taught: refusedFor };
      t.match(follow(confirmed, [given(by, 5), given(by, 60, status)]), ended, `${by} ${status}`);
    }
  t.match(follow(confirmed, [early, given('survey', 60, 'terminate')]), { completion: 'too_fast' }, 'a weaker source');
  const browserOnly = [given('browser', 5), given('browser', 60, 'terminate')];
  t.match(follow(confirmed, browserOnly), { completion: 'too_fast' }, 'the browser is not asked twice');
  t.end();
});

t.test('a complete that found no room is heard again, and a refusal is not', (t) => {
  const full: Place = { ...inSurvey, state: 'terminated', returnedBy: 'survey', returnedAt: after(60) };
  t.match(judgeReturn(confirmed, full, given('survey', 600)), {
    ...{ event: 'complete', completion: 'confirmed', returnedAt: after(60) },
  });
  t.equal(judgeReturn(confirmed, full, given('browser', 600)), null, 'a weaker source');
  t.equal(judgeReturn(confirmed, full, given('survey', 600, 'terminate')), null, 'another answer');
  t.equal(judgeReturn(confirmed, { ...full, refusedFor: 'fit' }, given('survey', 600)), null);
  const checked = judgeReturn(confirmed, full, given('survey', 90, 'quality'));
  t.match(checked, { event: 'terminate', completion: null, refusedFor: 'quality' }, 'a check of the answers');
  t.equal(judgeReturn(confirmed, { ...full, ...checked }, given('survey', 600)), null, 'after which it is not paid');
  const ofBrowser = { ...full, returnedBy: 'browser' } as const;
  t.equal(judgeReturn(confirmed, ofBrowser, given('browser', 90, 'quality')), null);
  t.end();
});

t.test('a later check of the answers reverses what is confirmed, by whoever is as strong', (t) => {
  const check = (by: ReturnedBy, returnedBy: ReturnedBy, status: ReturnStatus = 'quality') =>
    judgeReturn(confirmed, { ...inSurvey, completion: 'confirmed', returnedBy }, given(by, 60, status));
  t.match(check('survey', 'survey'), {
    event: 'reverse',
    completion: 'reversed',
    refusedFor: 'quality',
    isReported: true,
  });
  t.match(check('owner', 'survey'), { event: 'reverse' });
  t.equal(check('survey', 'owner'), null);
  for (const returnedBy of ['browser', 'survey', 'owner'] as const) t.equal(check('browser', returnedBy), null);
  t.match(check('owner', 'survey', 'terminate'), { event: 'reverse', refusedFor: 'fit' });
  for (const by of ['survey', 'owner'] as const) t.equal(check(by, by, 'terminate'), null, 'the first answer stands');
  t.equal(
    judgeReturn(
      confirmed,
      { ...inSurvey, completion: 'reversed', reversedBy: 'return', returnedBy: 'owner' },
      given('owner', 60, 'quality'),
    ),
    null,
  );
  t.end();
});

t.test('a stronger complete restores what a return reversed, and nothing else', (t) => {
  const checked = [given('survey', 60), given('survey', 90, 'quality')];
  t.match(follow(confirmed, checked), { completion: 'reversed', counts: false });
  t.match(follow(confirmed, [...checked, given('survey', 99)]), { completion: 'reversed' });
  const restored = [...checked, given('owner', 99)];
  t.match(follow(confirmed, restored), { state: 'completed', completion: 'confirmed', counts: true, refusedFor: null });
  t.match(follow(confirmed, [...restored, given('survey', 120, 'quality')]), { completion: 'confirmed' });
  for (const reversedBy of ['dispute', 'outcome'] as const)
    for (const by of sources) {
      const place = { ...inSurvey, completion: 'reversed', reversedBy, returnedBy: 'browser' } as const;
      t.equal(judgeReturn(confirmed, place, given(by, 60)), null, reversedBy);
    }
  t.end();
});

t.test('a complete that is confirmed changes by a stronger source alone', (t) => {
  for (const [n, by] of sources.entries())
    for (const later of sources.slice(0, n + 1))
      t.equal(judgeReturn(confirmed, { ...inSurvey, completion: 'confirmed', returnedBy: by }, given(later, 60)), null);
  const owned = [given('survey', 60), given('owner', 70), given('survey', 80, 'quality')];
  t.match(follow(confirmed, owned), { completion: 'confirmed', taught: 'complete' }, 'the owner has confirmed it too');
  t.end();
});
