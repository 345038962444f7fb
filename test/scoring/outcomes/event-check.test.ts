import t from 'tap';
import { createEventCheck } from '../../../src/scoring/outcomes/event-check.js';
import { makeKeyCaller } from '../../helpers/key-caller.js';

const occurredAt = '2026-05-01T12:00:00Z';
const checkEvents = createEventCheck({
  now: () => Date.parse('2026-06-01T00:00:00Z'),
  findProjectOwner: async () => null,
});
const check = (events: readonly unknown[], session?: string) =>
  checkEvents(makeKeyCaller(), events, (index) => `/events/${index}`, session === undefined ? {} : { session });

t.test('details keep what the caller likes; one of our names in another spelling is told', async (t) => {
  const detail = { reason_class: 'fraud', RespondentID: 'r', wave: 3 };
  const [checked] = await check([{ sessionId: 's', type: 'ban', occurredAt, detail }]);
  t.same(checked?.event?.detail, detail);
  t.same(
    checked?.unknown.map(({ path, nearest }) => [path, nearest]),
    [
      ['/events/0/detail/reason_class', 'reasonClass'],
      ['/events/0/detail/RespondentID', 'respondentId'],
    ],
  );
});

t.test('an event that says two things at once is refused, whichever was meant', async (t) => {
  const event = { sessionId: 's', type: 'dq', occurredAt };
  const retraction = { name: 'retraction', of: { type: 'complete', occurredAt } };
  const checked = await check([
    { ...event, detail: retraction },
    { ...event, reasonClass: 'fit', detail: { reasonClass: 'fraud' } },
    { ...event, reasonClass: 'fit', detail: { reasonClass: 'fit' } },
    { ...event, type: 'custom', detail: retraction },
  ]);
  t.match(checked[0]?.issues, [{ path: '/events/0/type', message: /must be "custom"/ }]);
  t.match(checked[1]?.issues, [{ path: '/events/1/detail/reasonClass', message: /differs from reasonClass/ }]);
  t.same(
    checked.map(({ event: taken }) => taken !== null),
    [false, false, true, true],
  );
});

t.test('where the address names the session, an event may name it too, and no other', async (t) => {
  const event = { type: 'dq', occurredAt };
  const checked = await check(
    [event, { ...event, sessionId: 's' }, { ...event, sessionId: null }, { ...event, sessionId: 'other' }, null, []],
    's',
  );
  for (const { event: taken } of checked.slice(0, 3)) t.equal(taken?.sessionId, 's');
  t.match(
    checked.slice(3).map(({ issues }) => issues),
    [
      [{ path: '/events/3/sessionId', message: /differs from the session in the path/ }],
      [{ path: '/events/4', message: 'must be an object.' }],
      [{ path: '/events/5', message: 'must be an object.' }],
    ],
  );
});
