/** A line of figures, each under its label. */
export const LabelledNumbers = ({ rows }: { rows: readonly (readonly [label: string, value: string])[] }) => (
  <dl class="numbers">
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
