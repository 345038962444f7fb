/** Counts a day, stacked by kind. The same numbers stand in a table below the chart. */
import type { Mix } from '../../src/contract/thresholds.js';
import { countColumn, textColumn } from './columns.js';
import { decisions } from './mix-bar.js';
import { Table } from './table.js';
import { formatCount, formatDay } from './words.js';

export interface DayMix extends Mix {
  readonly day: string;
}

/** Sessions a day by recommendation. */
export const DayChart = ({ days }: { days: readonly DayMix[] }) => (
  <Stacks label="Sessions a day by recommendation" kinds={decisions} days={days} />
);

type Kinds<K extends string> = readonly (readonly [name: K, label: string, tone: string])[];

interface StacksProps<K extends string> {
  readonly label: string;
  readonly kinds: Kinds<K>;
  /** The oldest first. */
  readonly days: readonly ({ readonly day: string } & Readonly<Record<K, number>>)[];
}

const size = { width: 720, height: 160 } as const;

export function Stacks<K extends string>({ label, kinds, days }: StacksProps<K>) {
  const totalOf = (day: Readonly<Record<K, number>>): number => kinds.reduce((sum, [name]) => sum + day[name], 0);
  const most = Math.max(1, ...days.map(totalOf));
  const step = size.width / days.length;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        class="day-chart"
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {days.map((day, index) => {
          let top = size.height;
          return (
            <g key={day.day}>
              <title>{`${formatDay(day.day)}: ${formatCount(totalOf(day))}`}</title>
              {kinds.map(([name, , tone]) => {
                const height = (day[name] / most) * size.height;
                top -= height;
                return <rect key={name} class={tone} x={index * step + 2} y={top} width={step - 4} height={height} />;
              })}
            </g>
          );
        })}
      </svg>
      <figcaption class="axis-line muted small">
        <span>{formatDay(days[0]?.day ?? '')}</span>
        {kinds.map(([name, kind, tone]) => (
          <span key={name} class={`key ${tone}`}>
            {kind}
          </span>
        ))}
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </figcaption>
      <Numbers kinds={kinds} days={days.filter((day) => totalOf(day) > 0)} />
    </figure>
  );
}

const Numbers = <K extends string>({ kinds, days }: Omit<StacksProps<K>, 'label'>) => (
  <details>
    <summary>Daily numbers</summary>
    <Table
      columns={[
        textColumn<(typeof days)[number]>('Day (UTC)', ({ day }) => formatDay(day)),
        ...kinds.map(([name, label]) => countColumn<(typeof days)[number]>(label, (each) => each[name])),
      ]}
      rows={[...days].reverse()}
      keyOf={({ day }) => day}
    />
  </details>
);
