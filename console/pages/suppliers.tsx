/** Suppliers: what each brings by day, and what became of it. The worst stands first. */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { independenceSessionsMin } from '../../src/contract/axes.js';
import type { MixReply, SourceReport, SourcesReply } from '../../src/contract/reports.js';
import { driftSessionsMin } from '../../src/contract/report-constants.js';
import { query, useRead } from '../api.js';
import { DayChart, type DayMix } from '../parts/day-chart.js';
import { countColumn } from '../parts/columns.js';
import { Interval } from '../parts/interval.js';
import { decisions, MixBar } from '../parts/mix-bar.js';
import { Empty, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { plural } from '../parts/words.js';
import { SupplierPostbackList } from './supplier-postbacks.js';

export function SuppliersPage({ projectId }: { projectId: string }) {
  const [days, setDays] = useState('');
  const sources = useRead<SourcesReply>(`/lite/sources${query({ projectId, from: sinceDays(days) })}`);
  const [chosen, choose] = useState('');
  const mix = useRead<MixReply>(`/lite/mix${query({ projectId, sourceId: chosen })}`);
  return (
    <>
      <div class="title">
        <h1>Suppliers</h1>
        <label class="inline">
          <span>By day</span>
          <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">All suppliers</option>
            {sources.data?.sources.map(
              ({ sourceId }) =>
                sourceId !== null && (
                  <option key={sourceId} value={sourceId}>
                    {sourceId}
                  </option>
                ),
            )}
          </select>
        </label>
      </div>
      <Shown of={mix} what="days">
        {({ days }) =>
          days.length === 0 ? (
            <Empty title="No session in the last 30 days">
              {chosen === '' && <p>Send the supplier of each session as sourceId when you score it.</p>}
            </Empty>
          ) : (
            <section class="card">
              <h2>Sessions a day, last 30 days</h2>
              <DayChart days={byDay(days)} />
            </section>
          )
        }
      </Shown>
      <Shown of={sources} what="suppliers">
        {({ sources: listed }) =>
          listed.length === 0 && days === '' ? null : (
            <section class="sources">
              <div class="title">
                <h2>Fraud by supplier</h2>
                <PeriodSelect days={days} setDays={setDays} />
              </div>
              <League projectId={projectId} sources={listed} />
            </section>
          )
        }
      </Shown>
      <SupplierPostbackList projectId={projectId} />
    </>
  );
}

const dayMs = 86_400_000;
const daysShown = 30;

const periods = [
  ['', 'All recorded sessions'],
  ['90', 'Last 90 days'],
  ['30', 'Last 30 days'],
] as const;

/** Today is one of the days. */
const sinceDays = (days: string): string | undefined =>
  days === '' ? undefined : `${new Date(Date.now() - (Number(days) - 1) * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;

const PeriodSelect = ({ days, setDays }: { days: string; setDays: (days: string) => void }) => (
  <label class="inline">
    <span>Period</span>
    <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
      {periods.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** All sources of a day together, each of the last 30 days, the oldest first. */
function byDay(days: MixReply['days']): readonly DayMix[] {
  const dates = Array.from({ length: daysShown }, (_, back) => new Date(Date.now() - (daysShown - 1 - back) * dayMs));
  return dates.map((date) => {
    const day = date.toISOString().slice(0, 10);
    const sum: DayMix = { day, allow: 0, review: 0, block: 0, step_up: 0 };
    for (const mix of days) if (mix.day === day) for (const [name] of decisions) sum[name] += mix[name];
    return sum;
  });
}

const League = ({ projectId, sources }: { projectId: string; sources: readonly SourceReport[] }) => (
  <>
    <p class="muted small">
      Sessions of the period, by their sourceId. A label is a session whose outcome says honest or fraud. Most certain
      fraud first: by the low end of the fraud share. Two suppliers whose intervals overlap may be equally bad. With few
      labels, it leans on the share of the project. Without any, a supplier is last. At an{' '}
      <a href="/docs/explanation/repeats-and-independence.html" target="_blank" rel="noreferrer">
        independence
      </a>{' '}
      of 100, no session is linked to others.
    </p>
    <Table columns={columnsOf(projectId)} rows={sources} keyOf={({ sourceId }) => sourceId ?? ''} look="league" />
  </>
);

const columnsOf = (projectId: string): readonly Column<SourceReport>[] => [
  {
    name: 'Supplier',
    cell: ({ sourceId }) =>
      sourceId === null ? (
        <span class="muted">Not named</span>
      ) : (
        <Link href={`/${projectId}/sessions${query({ sourceId })}`}>{sourceId}</Link>
      ),
  },
  countColumn('Sessions', ({ sessions }) => sessions),
  { name: 'Recommended', cell: (source) => <MixBar mix={source} /> },
  { name: 'Fraud share, 95% interval', label: 'Fraud share', cell: (source) => <FraudShare source={source} /> },
  { name: 'Score, last 7 days', cell: ({ drift }) => <Drift drift={drift} /> },
  {
    name: 'Independence',
    cell: ({ sessions, independence }) =>
      sessions < independenceSessionsMin ? <span class="muted">Not judged yet</span> : `${independence} of 100`,
  },
];

function FraudShare({ source: { fraudShare, labels } }: { source: SourceReport }) {
  if (fraudShare === null || labels.fraud + labels.complete === 0) return <span class="muted">No labels yet</span>;
  return <Interval of={fraudShare}>, {plural(labels.fraud + labels.complete, 'label')}</Interval>;
}

/** A change counts only if its interval leaves out zero. */
function Drift({ drift }: Pick<SourceReport, 'drift'>) {
  if (drift === null)
    return (
      <span class="muted">
        Needs {driftSessionsMin} sessions in these 7 days, and {driftSessionsMin} in the 28 days before
      </span>
    );
  const points = `${drift.value > 0 ? '+' : ''}${drift.value.toFixed(1)} points`;
  if (drift.low > 0) return <span class="badge bad">Worse: {points}</span>;
  return drift.high < 0 ? <span class="badge good">Better: {points}</span> : <span>{points}, not significant</span>;
}
