/** Transitions of a place: every event, in every state of place and study. */
import t from 'tap';
import {
  countsOf,
  decide,
  isUndecided,
  isCountedBy,
  isVerifiedIn,
  placeEvents,
  reservationStates,
  type ReservationState,
} from '../../src/audience/transitions.js';
import { studyStates } from '../../src/contract/study-moves.js';

const all = placeEvents.flatMap((event) =>
  studyStates.flatMap((status) =>
    reservationStates.flatMap((state) => {
      const place = { state, screenedFor: state === 'screened' ? 'full' : null, verified: false };
      const next = decide(event, { status, serviceCheck: false }, place);
      return next === null ? [] : [{ event, status, state, ...next }];
    }),
  ),
);

t.test('every pair of study and place: what is in this list happens, and nothing else', (t) => {
  const lines = new Map<string, string[]>();
  for (const { event, status, state, to, needs, otherwise } of all) {
    const line = `${state} ${event} ${to}${needs === null ? '' : ` if ${needs}, else ${otherwise}`}`;
    lines.set(line, [...(lines.get(line) ?? []), status]);
  }
  const everywhere = studyStates.join(' ');
  t.same(Object.fromEntries([...lines].map(([line, states]) => [line, states.join(' ')])), {
    'entering admit surveying if held, else screened': 'fielding',
    'screened admit surveying if held, else screened': 'fielding',
    'released admit surveying if held, else released': 'fielding',
    'entering screen screened': 'fielding',
    'screened screen screened': 'fielding',
    'verifying pass surveying if verified, else released': 'fielding paused completed',
    'verifying fail screened': 'fielding paused completed',
    'surveying complete completed if verified, else terminated': 'fielding paused completed',
    'completed complete completed if verified, else terminated': 'fielding paused completed',
    'released complete completed if held, else released': 'fielding paused completed',
    'terminated complete completed if held, else terminated': 'fielding paused completed',
    'surveying hold completed': 'fielding paused completed',
    'released hold completed if held, else released': 'fielding paused completed',
    'completed hold completed': 'fielding paused completed',
    'terminated hold completed if held, else terminated': 'fielding paused completed',
    'surveying terminate terminated': 'fielding paused completed',
    'released terminate terminated': 'fielding paused completed',
    'released abandon released': 'fielding paused completed',
    'completed terminate terminated': 'fielding paused completed',
    'terminated terminate terminated': 'fielding paused completed',
    'completed reverse terminated': everywhere,
    'terminated restore completed': everywhere,
    'verifying expire released': everywhere,
    'surveying expire released': everywhere,
  });
  t.end();
});

const holds = (state: ReservationState): number => countsOf({ state, verified: false, counted: false }).held;

t.test(
  'only a study that takes respondents gives out a place; an interview that was done takes one back in any',
  (t) => {
    for (const { event, status, state, to } of all.filter(({ event }) => event !== 'restore')) {
      if (holds(state) < holds(to) && event === 'admit') t.equal(status, 'fielding', `${state} ${event}`);
      else if (holds(state) < holds(to)) t.match(event, /^(complete|hold)$/);
    }
    t.end();
  },
);

t.test('a place that is taken needs room; one that is counted as verified needs it once', (t) => {
  for (const { state, to, needs } of all.filter(({ event }) => event !== 'restore'))
    if (holds(state) < holds(to)) t.equal(needs, 'held');
  const verified = { state: 'surveying', screenedFor: null, verified: true } as const;
  t.match(decide('complete', { status: 'paused', serviceCheck: true }, verified), { to: 'completed', needs: null });
  t.end();
});

t.test(
  'what has ended changes by returns and a rejection alone, and a refusal that is for good is not looked at again',
  (t) => {
    const ended = all.filter(({ state }) => state === 'completed' || state === 'terminated');
    t.same([...new Set(ended.map(({ event }) => event))].sort(), [
      'complete',
      'hold',
      'restore',
      'reverse',
      'terminate',
    ]);
    for (const screenedFor of ['gate', 'duplicate', 'country', 'verification']) {
      const place = { state: 'screened', screenedFor, verified: false } as const;
      t.notOk(isUndecided(place));
      for (const event of placeEvents) t.equal(decide(event, { status: 'fielding', serviceCheck: false }, place), null);
    }
    t.end();
  },
);

t.test('with a verification to come the gate leads there; its pass stands while the place is held', (t) => {
  const place = { state: 'entering', screenedFor: null, verified: false } as const;
  t.match(decide('admit', { status: 'fielding', serviceCheck: true }, place), { to: 'verifying' });
  const verified = (serviceCheck: boolean, counted: boolean) =>
    reservationStates.filter((state) => isVerifiedIn(state, counted, { serviceCheck }));
  t.same(verified(true, false), ['surveying', 'completed']);
  t.same(verified(false, false), []);
  t.same(
    placeEvents.flatMap((event) => reservationStates.filter((to) => isCountedBy(event, to)).map((to) => [event, to])),
    [['complete', 'completed']],
  );
  t.ok(isVerifiedIn('completed', true, { serviceCheck: false }), 'a complete that counts verifies');
  t.end();
});
