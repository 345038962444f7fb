/** Sessions a day, stacked by recommendation. The same numbers stand in a table below the chart. */
import type { Mix } from '../../src/contract/thresholds.js';
import { decisions, totalOf } from './mix-bar.js';
import { formatCount, formatDay } from './words.js';

export interface DayMix extends Mix {
  readonly day: string;
}

const size = { width: 720, height: 160 } as const;

export function DayChart({ days }: { days: readonly DayMix[] }) {
  const most = Math.max(1, ...days.map(totalOf));
  const step = size.width / days.length;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        class="day-chart"
        preserveAspectRatio="none"
        role="img"
        aria-label="Sessions a day by recommendation"
      >
        {days.map((mix, index) => {
          let top = size.height;
          return (
            <g key={mix.day}>
              <title>{`${formatDay(mix.day)}: ${formatCount(totalOf(mix))}`}</title>
              {decisions.map(([name, , tone]) => {
                const height = (mix[name] / most) * size.height;
                top -= height;
                return <rect key={name} class={tone} x={index * step + 2} y={top} width={step - 4} height={height} />;
              })}
            </g>
          );
        })}
      </svg>
      <figcaption class="axis-line muted small">
        <span>{formatDay(days[0]?.day ?? '')}</span>
        {decisions.map(([name, label, tone]) => (
          <span key={name} class={`key ${tone}`}>
            {label}
          </span>
        ))}
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </figcaption>
      <details>
        <summary>Daily numbers</summary>
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {decisions.map(([name, label]) => (
                <th key={name} scope="col" class="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...days]
              .reverse()
              .filter((mix) => totalOf(mix) > 0)
              .map((mix) => (
                <tr key={mix.day}>
                  <th scope="row">{formatDay(mix.day)}</th>
                  {decisions.map(([name, label]) => (
                    <td key={name} class="end" data-label={label}>
                      {formatCount(mix[name])}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
