/** Probabilities from the project’s own outcomes: the offer, or which outcomes are missing; applied and taken back. */
import { useState } from 'preact/hooks';
import type { Recalibration } from '../../src/contract/calibration.js';
import type { ProjectReply } from '../../src/contract/project.js';
import type { CalibrationReply } from '../../src/contract/reports.js';
import { call, query, useRead } from '../api.js';
import { Confirmation } from '../parts/confirmation.js';
import { AdminOnly } from '../parts/role.js';
import { Shown } from '../parts/states.js';
import { formatShare } from '../parts/words.js';
import { LabelMeters } from './thresholds-advice.js';

interface ProbabilitiesProps {
  readonly project: ProjectReply;
  /** null: the whole project. */
  readonly sourceId: string | null;
  readonly reload: () => void;
}

export function Probabilities({ project, sourceId, reload }: ProbabilitiesProps) {
  const { projectId, config } = project;
  const report = useRead<CalibrationReply>(`/lite/calibration${query({ projectId, sourceId: sourceId ?? undefined })}`);
  const [asked, ask] = useState<Asked | null>(null);
  const own = sourceId === null ? config.liteConfig : config.liteConfig?.perSource?.[sourceId];
  const write = async (recalibration: Recalibration | null): Promise<void> => {
    const liteConfig = sourceId === null ? { recalibration } : { perSource: { [sourceId]: { recalibration } } };
    await call(`/projects/${projectId}`, { method: 'PATCH', body: { config: { liteConfig } } });
    reload();
  };
  const isOwn = own?.recalibration !== undefined;
  return (
    <section class="card">
      <h2>Probability of fraud</h2>
      <p>
        {isOwn
          ? 'Probabilities follow a curve from your own outcomes.'
          : 'Probabilities come from the model, which was fitted on simulated traffic.'}{' '}
        They move no score and no recommendation.
      </p>
      <Shown of={report} what="the calibration">
        {({ recalibration, labels }) => (
          <>
            <Offer recalibration={recalibration} labels={labels} />
            <AdminOnly>
              <p class="actions">
                {recalibration.curve !== null && (
                  <button type="button" onClick={() => ask({ curve: recalibration.curve })}>
                    {isOwn ? 'Update from outcomes…' : 'Use own outcomes…'}
                  </button>
                )}
                {isOwn && (
                  <button type="button" class="quiet" onClick={() => ask({ curve: null })}>
                    Back to the model…
                  </button>
                )}
              </p>
            </AdminOnly>
          </>
        )}
      </Shown>
      {asked !== null && (
        <Confirmation
          title={asked.curve === null ? 'Use the model’s probabilities?' : 'Use probabilities from own outcomes?'}
          action={asked.curve === null ? 'Use the model' : 'Use own outcomes'}
          run={() => write(asked.curve)}
          close={() => ask(null)}
        >
          <p>For {sourceId ?? 'the whole project'}. Scores, thresholds and existing verdicts stay the same.</p>
        </Confirmation>
      )}
    </section>
  );
}

/** null: back to the model. */
interface Asked {
  readonly curve: Recalibration | null;
}

function Offer({ recalibration: { ece, shortfall }, labels }: Pick<CalibrationReply, 'recalibration' | 'labels'>) {
  if (shortfall !== null) return <LabelMeters labels={labels} shortfall={shortfall} isFraudMature />;
  if (ece === null) return null;
  return (
    <p>
      On your outcomes, the model is off by {formatShare(ece.before)} on average, and a curve from them by{' '}
      {formatShare(ece.after)}.
    </p>
  );
}
