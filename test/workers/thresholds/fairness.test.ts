import t from 'tap';
import { otherGroups } from '../../../src/contract/report-constants.js';
import { fairGroupMin, fairGroupsMax, type HonestSession } from '../../../src/contract/reports.js';
import { judgeFairness } from '../../../workers/thresholds/fairness.js';

const sessions = (
  count: number,
  over: Partial<HonestSession>,
  recommendation: HonestSession['recommendation'] = 'allow',
): readonly HonestSession[] =>
  Array.from({ length: count }, () => ({ country: 'DE', browser: 'chrome', device: 'phone', ...over, recommendation }));
const groupsOf = (by: string, honest: readonly HonestSession[]) =>
  judgeFairness(honest).groups.filter((group) => group.by === by);

t.test('each property is reported, with an interval that holds the share', (t) => {
  const honest = [...sessions(60, {}), ...sessions(30, {}, 'review'), ...sessions(10, {}, 'block')];
  const { all, groups } = judgeFairness(honest);
  t.match(all, {
    sessions: 100,
    reviewed: 30,
    blocked: 10,
    reviewedShare: { value: 0.3 },
    blockedShare: { value: 0.1 },
  });
  t.same(
    groups.map(({ by, value, sessions: n }) => [by, value, n]),
    [
      ['country', 'DE', 100],
      ['browser', 'chrome', 100],
      ['device', 'phone', 100],
    ],
  );
  const { low = 1, high = 0 } = all.blockedShare ?? {};
  t.ok(low < 0.1 && high > 0.1 && low > 0.04 && high < 0.18, `${low} ${high}`);
  t.end();
});

t.test('groups too small to be judged are folded into one, which has shares once it is large enough', (t) => {
  const small = fairGroupMin - 1;
  const honest = [...sessions(fairGroupMin, {}), ...sessions(small, { country: 'FR' }, 'block')];
  t.match(groupsOf('country', honest), [
    { value: 'DE', sessions: fairGroupMin, blockedShare: { value: 0 } },
    { value: otherGroups, sessions: small, blocked: small, blockedShare: null, reviewedShare: null },
  ]);
  t.match(groupsOf('country', [...honest, ...sessions(1, { country: null })]), [
    { value: 'DE' },
    { value: otherGroups, sessions: fairGroupMin, blockedShare: { value: small / fairGroupMin } },
  ]);
  t.end();
});

t.test('beyond so many groups the smallest are folded as well', (t) => {
  const honest = Array.from({ length: fairGroupsMax + 3 }, (_, n) =>
    sessions(fairGroupMin + (n < 3 ? 0 : 1), { country: `C${String(n).padStart(2, '0')}` }),
  ).flat();
  const groups = groupsOf('country', honest);
  t.equal(groups.length, fairGroupsMax + 1);
  t.match(groups.at(-1), { value: otherGroups, sessions: 3 * fairGroupMin });
  t.end();
});

t.test('nobody honest, no groups', (t) => {
  t.match(judgeFairness([]), { all: { sessions: 0, blockedShare: null }, groups: [] });
  t.end();
});
