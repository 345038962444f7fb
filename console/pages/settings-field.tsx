/** One setting: its name, what it does, and the control that its type asks for. */
import { DocText } from '../parts/doc-text.js';
import { nameOf, type Field, type Value } from '../settings-fields.js';

interface FieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly isChanged: boolean;
  readonly change: (value: Value) => void;
}

export function SettingField({ field, value, isChanged, change }: FieldProps) {
  const { path, kind, description } = field;
  const id = path.join('.');
  return (
    <div class={`setting${isChanged ? ' changed' : ''}`}>
      <div>
        <label for={id}>{nameOf(path.at(-1) ?? '')}</label> <code class="muted">{id}</code>
        {description !== '' && (
          <p id={`${id}-help`} class="muted small">
            <DocText text={description} />
          </p>
        )}
      </div>
      {kind === 'other' ? (
        <pre id={id}>{value === null ? 'Not set' : JSON.stringify(value, null, 2)}</pre>
      ) : (
        <Control {...{ field, id, value, change }} />
      )}
    </div>
  );
}

/** An emptied control stands for the default. */
const orNull = (text: string): string | null => (text === '' ? null : text);
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Control({
  field: { kind, choices, range, isWhole, description },
  id,
  value,
  change,
}: Omit<FieldProps, 'isChanged'> & { id: string }) {
  const common = { id, ...(description === '' ? {} : { 'aria-describedby': `${id}-help` }) };
  if (kind === 'switch')
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
    );
  if (kind === 'choice')
    return (
      <select
        {...common}
        value={typeof value === 'string' ? value : ''}
        onChange={({ currentTarget }) => change(orNull(currentTarget.value))}
      >
        <option value="">Default</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (kind === 'lines')
    return (
      <textarea
        {...common}
        rows={3}
        placeholder="One per line"
        value={Array.isArray(value) ? value.join('\n') : ''}
        onChange={({ currentTarget }) => change(linesOf(currentTarget.value))}
      />
    );
  if (kind === 'number')
    return (
      <input
        {...common}
        type="number"
        min={range.minimum}
        max={range.maximum}
        step={isWhole ? 1 : 'any'}
        value={value === null ? '' : Number(value)}
        placeholder="Not set"
        onInput={({ currentTarget: { value: text } }) => change(text === '' ? null : Number(text))}
      />
    );
  return (
    <input
      {...common}
      type="text"
      value={typeof value === 'string' ? value : ''}
      placeholder="Not set"
      onInput={({ currentTarget }) => change(orNull(currentTarget.value))}
    />
  );
}
