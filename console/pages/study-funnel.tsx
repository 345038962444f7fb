/** Everyone who entered a study by stage, and the screened out by reason. */
import type { StudyProgress } from '../../src/contract/study-replies.js';
import { formatCount, formatShare } from '../parts/words.js';

const refusals = [
  ['full', 'Study or quotas full'],
  ['duplicate', 'Took part before'],
  ['gate', 'Refused by the entry check'],
  ['verification', 'Refused by the verification'],
  ['targeting', 'Outside of the countries'],
  ['limit', 'Over a limit'],
] as const;

const stages = [
  ['undecided', 'Left before the entry check decided'],
  ['verifying', 'Verifying now'],
  ['in_survey', 'In the survey now'],
  ['released', 'Did not come back'],
  ['terminated', 'Ended by the survey'],
  ['unconfirmed', 'Completed, not confirmed'],
  ['too_fast', 'Completed too fast'],
  ['reversed', 'Reversed later'],
  ['completed', 'Completed'],
] as const;

export const StudyFunnel = ({ progress }: { progress: StudyProgress }) => {
  const { entered, screened_out: screenedOut, verified, completed, screenOutReason, funnel } = progress;
  return (
    <div class="columns">
      <section class="card">
        <h2>Funnel</h2>
        <Bars
          rows={[
            ['Entered', entered, 'plain'],
            ['Passed the entry check', entered - screenedOut - funnel.undecided, 'plain'],
            ['Verified', verified, 'plain'],
            ['Completed', completed, 'plain'],
          ]}
          of={entered}
        />
        <details>
          <summary>Every stage</summary>
          <Bars rows={stages.map(([name, label]) => [label, funnel[name], 'plain'])} of={entered} />
        </details>
      </section>
      <section class="card">
        <h2>Screened out</h2>
        {screenedOut === 0 ? (
          <p class="muted">Nobody was screened out.</p>
        ) : (
          <Bars rows={refusals.map(([name, label]) => [label, screenOutReason[name], 'bad'])} of={entered} />
        )}
      </section>
    </div>
  );
};

type Row = readonly [label: string, value: number, tone: string];

const Bars = ({ rows, of }: { rows: readonly Row[]; of: number }) => (
  <ul class="axes">
    {rows.map(([label, value, tone]) => (
      <li key={label}>
        <span>{label}</span>
        <span class="number">
          {formatCount(value)} {of > 0 && <span class="muted">({formatShare(value / of)})</span>}
        </span>
        <span class="meter" aria-hidden="true">
          <span class={tone} style={{ width: `${of === 0 ? 0 : (value / of) * 100}%` }} />
        </span>
      </li>
    ))}
  </ul>
);
