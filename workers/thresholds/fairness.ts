/** How groups of honest people fared: false reviews and blocks, with intervals. Small groups are folded, so that none is judged by a handful. Pure. */
import {
  fairGroupMin,
  fairGroupsMax,
  fairnessGroups,
  type FairGroup,
  type FairnessReply,
  type HonestSession,
} from '../../src/contract/reports.js';
import { otherGroups } from '../../src/contract/report-constants.js';
import { groupBy, inOrder, observe } from './reports.js';

type Sessions = readonly HonestSession[];

export const judgeFairness = (sessions: Sessions): Pick<FairnessReply, 'all' | 'groups'> => ({
  all: sharesOf(sessions),
  groups: fairnessGroups.flatMap((by) => groupsBy(by, sessions)),
});

function groupsBy(by: FairGroup['by'], sessions: Sessions): readonly FairGroup[] {
  const groups = [...groupBy(sessions, (session) => session[by])].sort(
    ([a, own], [b, other]) => other.length - own.length || inOrder(a ?? '', b ?? ''),
  );
  const judged = groups.filter(([, own]) => own.length >= fairGroupMin).slice(0, fairGroupsMax);
  const rest = groups.slice(judged.length).flatMap(([, own]) => own);
  const folded = rest.length === 0 ? [] : [[otherGroups, rest] as const];
  return [...judged, ...folded].map(([value, own]) => ({ by, value, ...sharesOf(own) }));
}

function sharesOf(sessions: Sessions): FairnessReply['all'] {
  const count = (recommendation: HonestSession['recommendation']): number =>
    sessions.filter((session) => session.recommendation === recommendation).length;
  const [reviewed, blocked] = [count('review'), count('block')];
  const share = (events: number) => (sessions.length < fairGroupMin ? null : observe(events, sessions.length));
  return {
    ...{ sessions: sessions.length, reviewed, blocked },
    ...{ reviewedShare: share(reviewed), blockedShare: share(blocked) },
  };
}
