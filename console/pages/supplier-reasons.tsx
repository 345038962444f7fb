/** The foremost reasons for which sessions of a supplier are blocked or reviewed. Nothing, if none is. */
import { Fragment } from 'preact';
import { Link } from 'wouter-preact';
import type { ScoredSessionPage } from '../../src/contract/session-trail.js';
import { query, useRead } from '../api.js';
import { reasonName } from '../parts/reason-names.js';
import { formatCount } from '../parts/words.js';
import { periodStart } from './session-filters.js';

interface SupplierReasonsProps {
  readonly projectId: string;
  readonly sourceId: string;
  readonly studyId: string | undefined;
  /** The chosen period; undefined: all sessions. */
  readonly period: string | undefined;
}

/** The most sessions of one page. */
const sessionsMax = 200;

const stops = { block: 'blocked', review: 'in review' } as const;

type Stop = keyof typeof stops;

interface Reason {
  readonly code: string;
  readonly block: number;
  readonly review: number;
}

type Sessions = ScoredSessionPage['sessions'];

/** The newest sessions with this recommendation, a page of them. */
const useStopped = ({ period, ...of }: SupplierReasonsProps, recommendation: Stop): Sessions =>
  useRead<ScoredSessionPage>(
    `/lite/sessions${query({ ...of, from: periodStart(period), recommendation, limit: sessionsMax })}`,
  ).data?.sessions ?? [];

export function SupplierReasons(props: SupplierReasonsProps) {
  const { projectId, ...filters } = props;
  const blocked = useStopped(props, 'block');
  const reviewed = useStopped(props, 'review');
  const reasons = countReasons(blocked, reviewed);
  if (reasons.length === 0) return null;
  return (
    <section class="card reasons">
      <h2>Why sessions of {filters.sourceId} are stopped</h2>
      <p class="muted small">
        The top reason of each, over the newest sessions: {formatCount(blocked.length)} blocked,{' '}
        {formatCount(reviewed.length)} in review.
      </p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason.code}>
            {reasonName(reason.code)}:{' '}
            {stopsOf(reason).map((recommendation, index) => (
              <Fragment key={recommendation}>
                {index > 0 && ', '}
                <Link href={`/${projectId}/sessions${query({ ...filters, recommendation, text: reason.code })}`}>
                  {formatCount(reason[recommendation])} {stops[recommendation]}
                </Link>
              </Fragment>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const stopsOf = (reason: Reason): readonly Stop[] => (['block', 'review'] as const).filter((stop) => reason[stop] > 0);

/** The most frequent first. */
function countReasons(blocked: Sessions, reviewed: Sessions): readonly Reason[] {
  const counts = new Map<string, Reason>();
  for (const [stop, sessions] of [
    ['block', blocked],
    ['review', reviewed],
  ] as const)
    for (const { receipt } of sessions) {
      const code = receipt.topReason;
      if (code === null) continue;
      const known = counts.get(code) ?? { code, block: 0, review: 0 };
      counts.set(code, { ...known, [stop]: known[stop] + 1 });
    }
  return [...counts.values()].sort((a, b) => b.block + b.review - a.block - a.review);
}
