/** The shadow of the project: what its knobs would have changed. Shown if one is set; the settings page sets it. */
import type { ShadowReply } from '../../src/contract/shadow.js';
import { query, useRead } from '../api.js';
import { LabelledNumbers } from '../parts/labelled-numbers.js';
import { MixNumbers } from '../parts/mix-bar.js';
import { Shown } from '../parts/states.js';
import { formatCount, formatShare, plural } from '../parts/words.js';
import { Flips } from './thresholds-effect.js';

interface ShadowProps {
  readonly projectId: string;
  /** null: the whole project. */
  readonly sourceId: string | null;
}

export function Shadow({ projectId, sourceId }: ShadowProps) {
  const reply = useRead<ShadowReply>(`/lite/shadow${query({ projectId, sourceId: sourceId ?? undefined })}`);
  return (
    <section class="card">
      <h2>Shadow</h2>
      <p>Judges recorded sessions with other knobs. It changes no verdict.</p>
      <Shown of={reply} what="the shadow">
        {(report) =>
          report.compared === 0 ? (
            <p class="muted">{report.note}</p>
          ) : (
            <Comparison projectId={projectId} report={report} />
          )
        }
      </Shown>
    </section>
  );
}

type Shares = ShadowReply['blockedShare'];

const bothOf = ({ live, shadow }: Shares): string =>
  live === null || shadow === null ? 'no labels' : `${formatShare(live.value)} → ${formatShare(shadow.value)}`;

const Comparison = ({ projectId, report }: { projectId: string; report: ShadowReply }) => {
  const { compared, complete, agreements, examples, sources, labelled, otherModel } = report;
  const flippedBySource = sources
    .filter(({ flipped }) => flipped > 0)
    .map(({ sourceId, flipped }) => ({ sourceId, sessions: flipped }));
  return (
    <>
      <div class="compare">
        <div>
          <h3>Verdicts given</h3>
          <MixNumbers mix={report.live} />
        </div>
        <div>
          <h3>With the shadow</h3>
          <MixNumbers mix={report.shadow} />
        </div>
        <div>
          <h3>By outcome</h3>
          <LabelledNumbers
            rows={[
              [`Blocked of ${formatCount(labelled.fraud)} fraudulent`, bothOf(labelled.fraudCaught)],
              [`Stopped of ${formatCount(labelled.honest)} honest`, bothOf(labelled.honestStopped)],
            ]}
          />
        </div>
        <p class="muted small">
          {complete ? plural(compared, 'session') : `The newest ${plural(compared, 'session')}`}
          {otherModel > 0 && `, ${formatCount(otherModel)} of them scored by another model`}
        </p>
      </div>
      <Flips projectId={projectId} effect={{ flips: examples, flipped: compared - agreements, flippedBySource }} />
    </>
  );
};
