/** The thresholds that the outcomes support, or which outcomes are missing. */
import type { RecommendationsReply, SourceRecommendation } from '../../src/contract/thresholds.js';
import { reversalWindowDays } from '../../src/contract/report-constants.js';
import { query, useRead } from '../api.js';
import { LabelledNumbers } from '../parts/labelled-numbers.js';
import { Shown } from '../parts/states.js';
import { formatCount, formatShare } from '../parts/words.js';
import type { Pair } from './thresholds.js';

interface AdviceProps {
  readonly projectId: string;
  readonly sourceId: string | null;
  readonly choose: (pair: Pair) => void;
}

export function Advice({ projectId, sourceId, choose }: AdviceProps) {
  const reply = useRead<RecommendationsReply>(
    `/lite/threshold-recommendations${query({ projectId, sourceId: sourceId ?? undefined })}`,
  );
  return (
    <section class="card">
      <h2>Recommended thresholds</h2>
      <Shown of={reply} what="the recommendation">
        {({ sources }) => {
          const found = sources.find((each) => each.sourceId === sourceId);
          return found === undefined ? <p class="muted">None yet.</p> : <Found found={found} choose={choose} />;
        }}
      </Shown>
    </section>
  );
}

function Found({ found, choose }: { found: SourceRecommendation; choose: (pair: Pair) => void }) {
  const { note, suggested, projected, labels, shortfall } = found;
  return (
    <>
      <p>{note}</p>
      {shortfall !== null && <LabelMeters labels={labels} shortfall={shortfall} />}
      {projected !== null && (
        <>
          <p>
            Would block {formatShare(projected.catchRate)} of fraud and {formatShare(projected.falseBlockRate)} of
            honest sessions (at most {formatShare(projected.falseBlockRateUpper95)}, with 95% confidence).
          </p>
          <Costs {...projected.labelled} {...labels} />
        </>
      )}
      {suggested !== null && (
        <button type="button" class="quiet" onClick={() => choose(suggested)}>
          Try {suggested.reviewLow} and {suggested.blockThreshold}
        </button>
      )}
    </>
  );
}

type CostsProps = NonNullable<SourceRecommendation['projected']>['labelled'] & SourceRecommendation['labels'];

/** Gains and losses side by side, by the labels there are. */
const Costs = ({ honest, fraud, honestBlocked, honestReviewed, fraudBlocked, fraudReviewed }: CostsProps) => (
  <LabelledNumbers
    rows={[
      ['Fraud blocked', ofAll(fraudBlocked, fraud)],
      ['Fraud sent to review', ofAll(fraudReviewed, fraud)],
      ['Honest blocked', ofAll(honestBlocked, honest)],
      ['Honest sent to review', ofAll(honestReviewed, honest)],
    ]}
  />
);

const ofAll = (count: number, all: number): string => `${formatCount(count)} of ${formatCount(all)}`;

interface LabelMetersProps {
  readonly labels: { readonly honest: number; readonly fraud: number };
  /** Outcomes that are missing. */
  readonly shortfall: { readonly honest: number; readonly fraud: number };
  /** Fraud, too, counts only after that time. */
  readonly isFraudMature?: boolean;
}

export const LabelMeters = ({ labels, shortfall, isFraudMature = false }: LabelMetersProps) => (
  <ul class="axes">
    <Labels
      label={`Completes that stood for ${reversalWindowDays} days`}
      have={labels.honest}
      missing={shortfall.honest}
    />
    <Labels
      label={isFraudMature ? `Fraud outcomes of ${reversalWindowDays} days ago and before` : 'Fraud outcomes'}
      have={labels.fraud}
      missing={shortfall.fraud}
    />
  </ul>
);

const Labels = ({ label, have, missing }: { label: string; have: number; missing: number }) => (
  <li>
    <span>{label}</span>
    <span class="number">{missing === 0 ? `${formatCount(have)}, enough` : ofAll(have, have + missing)}</span>
    <span class="meter" aria-hidden="true">
      <span class="good" style={{ width: `${(100 * have) / Math.max(1, have + missing)}%` }} />
    </span>
  </li>
);
