/** Effects of the chosen thresholds on the recorded sessions. */
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SimulationReply } from '../../src/contract/thresholds.js';
import { reversalWindowDays } from '../../src/contract/report-constants.js';
import { call, useCall } from '../api.js';
import { Badge } from '../parts/badge.js';
import { MixNumbers } from '../parts/mix-bar.js';
import { LabelledNumbers } from '../parts/labelled-numbers.js';
import { Shown } from '../parts/states.js';
import { formatCount, formatDay, plural } from '../parts/words.js';
import type { Pair } from './thresholds.js';

const movingMs = 120;
const flipsShown = 20;
const sourcesShown = 10;

interface EffectProps {
  readonly projectId: string;
  readonly sourceId: string | null;
  readonly chosen: Pair;
}

export function Effect({ projectId, sourceId, chosen }: EffectProps) {
  const [asked, ask] = useState(chosen);
  useEffect(() => {
    const timer = setTimeout(() => ask(chosen), movingMs);
    return () => clearTimeout(timer);
  }, [chosen.reviewLow, chosen.blockThreshold]);
  const body = { projectId, sourceId, ...asked, flips: flipsShown };
  const reply = useCall<SimulationReply>(JSON.stringify(body), (signal) =>
    call('/lite/simulate', { method: 'POST', body, signal }),
  );
  return (
    <Shown of={reply} what="the effect">
      {(effect) =>
        effect.sessions === 0 ? (
          <p class="muted">{effect.note}</p>
        ) : (
          <>
            <Distribution scores={effect.scores} chosen={chosen} />
            {effect.heldBelowBlock > 0 && (
              <p class="muted small">
                {plural(effect.heldBelowBlock, 'session has', 'sessions have')} only one kind of evidence and{' '}
                {effect.heldBelowBlock === 1 ? 'stays' : 'stay'} just below Block, wherever it is.
              </p>
            )}
            <Numbers effect={effect} />
            <Flips projectId={projectId} effect={effect} />
          </>
        )
      }
    </Shown>
  );
}

const size = { width: 720, height: 110 } as const;

function Distribution({ scores, chosen }: { scores: readonly number[]; chosen: Pair }) {
  const most = Math.max(1, ...scores.map(Math.sqrt));
  const step = size.width / scores.length;
  const toneOf = (from: number): string => {
    if (from >= chosen.blockThreshold) return 'bad';
    return from >= chosen.reviewLow ? 'warn' : 'good';
  };
  const text = `Sessions by score, from 0 to 100 in steps of 5: ${scores.join(', ')}`;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        class="day-chart"
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        {scores.map((count, band) => {
          const height = (Math.sqrt(count) / most) * size.height;
          const from = (band * 100) / scores.length;
          return (
            <rect
              key={band}
              class={toneOf(from)}
              x={band * step + 1}
              y={size.height - height}
              width={step - 2}
              height={height}
            >
              <title>{`${from} and up: ${formatCount(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="axis-line muted small" aria-hidden="true">
        {[0, 25, 50, 75, 100].map((score) => (
          <span key={score}>{score}</span>
        ))}
      </div>
      <figcaption class="muted small">Sessions by score. Heights use a square-root scale.</figcaption>
    </figure>
  );
}

const Numbers = ({ effect: { sessions, current, hypothetical, labelled, period } }: { effect: SimulationReply }) => (
  <div class="compare">
    <div>
      <h3>Verdicts given</h3>
      <MixNumbers mix={current} />
    </div>
    <div>
      <h3>With these thresholds</h3>
      <MixNumbers mix={hypothetical} />
    </div>
    <div>
      <h3>With these thresholds, by outcome</h3>
      <LabelledNumbers
        rows={[
          ['Fraud blocked', `${formatCount(labelled.fraudCaught)} of ${formatCount(labelled.fraud)}`],
          ['Honest blocked', `${formatCount(labelled.honestBlocked)} of ${formatCount(labelled.honest)}`],
        ]}
      />
    </div>
    <p class="muted small">
      {plural(sessions, 'session')}
      {period.from !== null && period.to !== null && `, ${formatDay(period.from)} to ${formatDay(period.to)}`}. Honest:
      with a complete that stood for {reversalWindowDays} days. Fraud: with an outcome that says so.
    </p>
  </div>
);

export const Flips = ({
  projectId,
  effect: { flips, flipped, flippedBySource },
}: {
  projectId: string;
  effect: Pick<SimulationReply, 'flips' | 'flipped' | 'flippedBySource'>;
}) =>
  flipped === 0 ? (
    <p class="muted">No session would change.</p>
  ) : (
    <details>
      <summary>{plural(flipped, 'session')} would change</summary>
      <p class="small">
        By supplier:{' '}
        {flippedBySource
          .slice(0, sourcesShown)
          .map(({ sourceId, sessions }) => `${sourceId ?? 'not named'} ${formatCount(sessions)}`)
          .join(', ')}
        {flippedBySource.length > sourcesShown && `, and ${flippedBySource.length - sourcesShown} more suppliers`}.
      </p>
      <ul class="list">
        {flips.map(({ receiptId, sessionId, score, from, to }) => (
          <li key={receiptId}>
            <Link class="id" href={`/${projectId}/sessions/${encodeURIComponent(sessionId)}`}>
              {sessionId}
            </Link>
            <span>
              <Badge value={from} /> → <Badge value={to} /> <span class="number">{score}</span>
            </span>
          </li>
        ))}
      </ul>
      {flipped > flips.length && <p class="muted small">The newest {flips.length} are listed.</p>}
    </details>
  );
