/** The effect of a return on a place: the stronger source decides, in whatever order returns arrive. */
import t from 'tap';
import type { QuotaReservation, ReturnedBy } from '../../src/audience/reservation-store.js';
import { judgeReturn, type GivenReturn } from '../../src/audience/return-rules.js';
import type { ReturnStatus } from '../../src/contract/study-returns.js';

const surveyedAt = new Date('2026-11-01T10:00:00Z');
const after = (seconds: number): Date => new Date(surveyedAt.getTime() + seconds * 1_000);
type Place = Pick<QuotaReservation, 'state' | 'completion' | 'returnedBy' | 'surveyedAt' | 'returnedAt'>;
const inSurvey: Place = { state: 'surveying', completion: null, returnedBy: null, surveyedAt, returnedAt: null };
const confirmed = { returns: 'confirmed', minimumSeconds: 30 } as const;
const browser = { ...confirmed, returns: 'browser' } as const;
const given = (by: ReturnedBy, seconds: number, status: ReturnStatus = 'complete', isDated = false): GivenReturn => ({
  ...{ by, status, at: after(seconds), isDated },
});

/** One return after the other, as the store keeps them. */
function follow(study: typeof confirmed | typeof browser, returns: readonly GivenReturn[]) {
  let place = inSurvey;
  const taught: string[] = [];
  let counts = false;
  for (const one of returns) {
    const verdict = judgeReturn(study, place, one);
    if (verdict === null) continue;
    const { event, completion, returnedAt } = verdict;
    const state = event === 'terminate' ? 'terminated' : 'completed';
    place = { ...place, state, completion, returnedAt, returnedBy: one.by };
    counts = event === 'complete';
    if (verdict.teaches) taught.push(verdict.refusedFor ?? 'complete');
  }
  return { completion: place.completion, counts, taught: taught.join(' ') };
}

t.test('the browser alone confirms nothing and teaches nothing; it counts only where the study says so', (t) => {
  t.same(follow(confirmed, [given('browser', 60)]), { completion: 'unconfirmed', counts: false, taught: '' });
  t.same(follow(browser, [given('browser', 60)]), { completion: 'unconfirmed', counts: true, taught: '' });
  t.same(follow(confirmed, [given('browser', 60, 'terminate')]), { completion: null, counts: false, taught: '' });
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
    t.same(follow(confirmed, order), { completion: 'confirmed', counts: true, taught: 'complete' });
  const refused = [given('browser', 60), given('survey', 61, 'quality')];
  t.same(follow(confirmed, refused), { completion: null, counts: false, taught: 'quality' });
  t.same(follow(confirmed, [given('survey', 60, 'terminate')]), { completion: null, counts: false, taught: 'fit' });
  t.end();
});

t.test('sooner than the least time is too fast, whoever says so first, until the owner insists', (t) => {
  const tooFast = { completion: 'too_fast', counts: false, taught: '' };
  for (const order of [
    [given('browser', 0)],
    [given('survey', 29)],
    [given('browser', 1), given('survey', 2)],
    [given('survey', 1), given('browser', 600)],
    [given('survey', 1), given('survey', 600)],
    [given('browser', 60), given('survey', 5, 'complete', true)],
  ]) {
    t.same(follow(confirmed, order), tooFast);
    const insisted = [...order, given('owner', 700)];
    t.same(follow(confirmed, insisted), { completion: 'confirmed', counts: true, taught: 'complete' });
  }
  t.same(follow(browser, [given('browser', 1)]), tooFast);
  for (const study of [confirmed, browser])
    for (const early of ['complete', 'terminate', 'quality'] as const)
      t.same(
        follow(study, [given('browser', 1, early), given('survey', 600)]),
        { completion: 'confirmed', counts: true, taught: 'complete' },
        `what a browser claims early (${early}) spoils no later return of the survey`,
      );
  t.match(judgeReturn(confirmed, inSurvey, given('survey', 30)), { completion: 'confirmed' });
  t.match(judgeReturn({ ...confirmed, minimumSeconds: 0 }, inSurvey, given('survey', 0)), { completion: 'confirmed' });
  t.end();
});

t.test('a later check of the answers reverses what is confirmed, by whoever is as strong', (t) => {
  const check = (by: ReturnedBy, returnedBy: ReturnedBy, status: ReturnStatus = 'quality') =>
    judgeReturn(confirmed, { ...inSurvey, completion: 'confirmed', returnedBy }, given(by, 60, status));
  t.match(check('survey', 'survey'), {
    event: 'reverse',
    completion: 'reversed',
    refusedFor: 'quality',
    teaches: true,
  });
  t.match(check('owner', 'survey'), { event: 'reverse' });
  t.equal(check('survey', 'owner'), null);
  for (const returnedBy of ['browser', 'survey', 'owner'] as const) t.equal(check('browser', returnedBy), null);
  t.equal(check('owner', 'survey', 'terminate'), null);
  t.equal(
    judgeReturn(
      confirmed,
      { ...inSurvey, completion: 'reversed', returnedBy: 'survey' },
      given('owner', 60, 'quality'),
    ),
    null,
  );
  t.end();
});

t.test('what is confirmed or reversed stays', (t) => {
  for (const completion of ['confirmed', 'reversed'] as const)
    for (const by of ['browser', 'survey', 'owner'] as const)
      t.equal(judgeReturn(confirmed, { ...inSurvey, completion, returnedBy: 'browser' }, given(by, 60)), null);
  t.end();
});
