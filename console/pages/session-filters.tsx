/** Filters of the list of sessions. Typing waits a moment before it searches. */
import { useEffect, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import type { SourcesReply } from '../../src/contract/reports.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { query, useRead } from '../api.js';

const typingMs = 300;
const dayMs = 86_400_000;

const periods: Readonly<Record<string, readonly [label: string, days: number]>> = {
  day: ['Last 24 hours', 1],
  week: ['Last 7 days', 7],
  month: ['Last 30 days', 30],
};

/** Start of a period, to the minute, so that the same question keeps its address. */
export function periodStart(period: string | undefined): string | undefined {
  const days = periods[period ?? '']?.[1];
  return days === undefined
    ? undefined
    : new Date(Math.floor(Date.now() / 60_000) * 60_000 - days * dayMs).toISOString();
}

const choices = {
  recommendation: {
    label: 'Verdict',
    options: { allow: 'Allow', review: 'Review', step_up: 'Step up', block: 'Block' },
  },
  duplicateBand: {
    label: 'Duplicate',
    options: { none: 'None', possible: 'Possible', likely: 'Likely', confirmed: 'Confirmed' },
  },
  period: {
    label: 'Scored',
    options: Object.fromEntries(Object.entries(periods).map(([name, [label]]) => [name, label])),
  },
} as const;

const texts = { text: 'Session, respondent, receipt or reason', sourceId: 'Supplier', studyId: 'Study' } as const;

interface Option {
  readonly value: string;
  readonly label: string;
}

/** The sources and studies to choose from. Without them, ids can still be typed. */
function useOptions(projectId: string): Readonly<Record<string, readonly Option[]>> {
  const sources = useRead<SourcesReply>(`/lite/sources${query({ projectId })}`);
  const studies = useRead<{ studies: readonly StudyReply[] }>(
    `/studies${query({ projectId, limit: 200 })}`,
    'audience',
  );
  return {
    sourceId:
      sources.data?.sources.flatMap(({ sourceId: value }) => (value === null ? [] : { value, label: value })) ?? [],
    studyId: studies.data?.studies.map(({ studyId: value, name: label }) => ({ value, label })) ?? [],
  };
}

export function SessionFilters({ projectId }: { projectId: string }) {
  const options = useOptions(projectId);
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string): void =>
    setSearch(
      (known) => {
        if (value === '') known.delete(name);
        else known.set(name, value);
        return known;
      },
      { replace: true },
    );
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {Object.entries(texts).map(([name, label]) => (
        <TextFilter
          key={name}
          name={name}
          label={label}
          value={search.get(name) ?? ''}
          options={options[name] ?? []}
          set={set}
        />
      ))}
      {Object.entries(choices).map(([name, { label, options }]) => (
        <label key={name}>
          <span>{label}</span>
          <select
            name={name}
            value={search.get(name) ?? ''}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          >
            <option value="">Any</option>
            {Object.entries(options).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
      {search.size > 0 && (
        <button type="button" class="quiet" onClick={() => setSearch(new URLSearchParams(), { replace: true })}>
          Clear
        </button>
      )}
    </form>
  );
}

interface TextFilterProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly set: (name: string, value: string) => void;
}

function TextFilter({ name, label, value, options, set }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => set(name, typed.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class={name === 'text' ? 'wide' : ''}>
      <span>{label}</span>
      <input
        type="search"
        name={name}
        list={options.length === 0 ? undefined : `${name}-options`}
        value={typed}
        autoComplete="off"
        spellcheck={false}
        maxLength={256}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {options.length > 0 && (
        <datalist id={`${name}-options`}>
          {options.map((option) => (
            <option key={option.value} {...option} />
          ))}
        </datalist>
      )}
    </label>
  );
}
