/** Verifications of the project: how many passed by day, why others failed, and on which devices. */
import type { Analytics } from '../../src/contract/analytics.js';
import { useRead } from '../api.js';
import { Stacks } from '../parts/day-chart.js';
import { LabelledNumbers } from '../parts/labelled-numbers.js';
import { Empty, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatCount, formatShare, readable } from '../parts/words.js';

const outcomes = [
  ['passed', 'Passed', 'good'],
  ['failed', 'Failed', 'bad'],
] as const;

export function VerificationPage({ projectId }: { projectId: string }) {
  // Without a range it covers the last 30 days.
  const analytics = useRead<Analytics>(`/projects/${projectId}/analytics`);
  return (
    <>
      <Title text="Verification" reload={analytics.reload} />
      <Shown of={analytics} what="verifications">
        {(shown) =>
          shown.totalVerifications === 0 ? (
            <Empty title="No verification in the last 30 days">
              <p>Put the widget on a page, or send a respondent a link. Results appear here a few seconds later.</p>
            </Empty>
          ) : (
            <Figures {...shown} />
          )
        }
      </Shown>
    </>
  );
}

const Figures = (shown: Analytics) => (
  <div class="stack">
    <section class="card">
      <h2>Verifications a day, last 30 days</h2>
      <Totals {...shown} />
      <Stacks
        label="Verifications a day by outcome"
        kinds={outcomes}
        days={shown.timeSeries.map(({ start, passed, failed }) => ({ day: start.slice(0, 10), passed, failed }))}
      />
    </section>
    <Shares
      title="Reasons of failures"
      rows={shown.failureReasons.map((row) => ({ ...row, name: readable(row.reason) }))}
    />
    <Shares title="Devices" rows={shown.devices.map((row) => ({ ...row, name: row.device }))} />
    <Shares title="Browsers" rows={shown.browsers.map((row) => ({ ...row, name: row.browser }))} />
  </div>
);

/** A mean of nothing is not zero. */
const orNone = (value: number | null, format: (value: number) => string): string =>
  value === null ? 'Not measured' : format(value);

const Totals = ({ totalVerifications, passRate, avgLivenessScore, avgUniquenessScore, avgDurationMs }: Analytics) => (
  <LabelledNumbers
    rows={[
      ['Verifications', formatCount(totalVerifications)],
      ['Passed', orNone(passRate, formatShare)],
      ['Liveness, mean', orNone(avgLivenessScore, (score) => score.toFixed(2))],
      ['Uniqueness, mean', orNone(avgUniquenessScore, (score) => score.toFixed(2))],
      ['From start to verdict, mean', orNone(avgDurationMs, (ms) => `${formatCount(Math.round(ms / 1_000))} s`)],
    ]}
  />
);

interface SharesProps {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly count: number; readonly share: number }[];
}

const Shares = ({ title, rows }: SharesProps) =>
  rows.length === 0 ? null : (
    <section class="card">
      <h2>{title}</h2>
      <ul class="axes">
        {rows.map(({ name, count, share }) => (
          <li key={name}>
            <span>{name}</span>
            <span class="number">
              {formatShare(share)} <span class="muted">({formatCount(count)})</span>
            </span>
            <span class="meter" aria-hidden="true">
              <span class="plain" style={{ width: `${share * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
