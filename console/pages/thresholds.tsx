/** Thresholds: two sliders over the distribution of scores. What they would have done is asked as they move; nothing changes until it is applied. */
import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import type { SourcesReply } from '../../src/contract/reports.js';
import { query, useRead } from '../api.js';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Shown } from '../parts/states.js';
import { Advice } from './thresholds-advice.js';
import { Apply } from './thresholds-apply.js';
import { Effect } from './thresholds-effect.js';
import { Fairness } from './thresholds-fairness.js';
import { Shadow } from './thresholds-shadow.js';
import { Probabilities } from './thresholds-probabilities.js';

export interface Pair {
  readonly reviewLow: number;
  readonly blockThreshold: number;
}

export function ThresholdsPage({ projectId }: { projectId: string }) {
  const project = useRead<ProjectReply>(`/projects/${projectId}`);
  const sources = useRead<SourcesReply>(`/lite/sources${query({ projectId })}`);
  const [sourceId, setSource] = useState('');
  const listed = sources.data?.sources.flatMap(({ sourceId: each }) => each ?? []) ?? [];
  return (
    <>
      <div class="title">
        <h1>Thresholds</h1>
        <label class="inline">
          <span>For</span>
          <select value={sourceId} onChange={({ currentTarget }) => setSource(currentTarget.value)}>
            <option value="">The whole project</option>
            {listed.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <RoleNotice />
      <Shown of={project} what="the current thresholds">
        {(known) => (
          <Sliders
            key={sourceId}
            project={known}
            sourceId={sourceId === '' ? null : sourceId}
            reload={project.reload}
          />
        )}
      </Shown>
    </>
  );
}

/** The thresholds in force for a source, or for the project. */
function thresholdsOf({ effective: { liteConfig } }: ProjectReply, sourceId: string | null): Pair {
  const source = sourceId === null ? undefined : liteConfig.perSource?.[sourceId];
  const { reviewLow = 40, blockThreshold = 75 } = { ...liteConfig, ...source };
  return { reviewLow, blockThreshold };
}

interface SlidersProps {
  readonly project: ProjectReply;
  readonly sourceId: string | null;
  readonly reload: () => void;
}

function Sliders({ project, sourceId, reload }: SlidersProps) {
  const current = thresholdsOf(project, sourceId);
  const [chosen, choose] = useState<Pair>(current);
  const set = (change: Partial<Pair>): void => {
    const next = { ...chosen, ...change };
    // The slider that moves pushes the other along.
    if (next.reviewLow > next.blockThreshold) {
      const pushed = change.reviewLow ?? change.blockThreshold ?? next.reviewLow;
      choose({ reviewLow: pushed, blockThreshold: pushed });
    } else choose(next);
  };
  return (
    <div class="stack">
      <section class="card">
        <h2>Simulate thresholds</h2>
        <div class="sliders">
          <Slider label="Review from" value={chosen.reviewLow} set={(reviewLow) => set({ reviewLow })} />
          <Slider label="Block from" value={chosen.blockThreshold} set={(blockThreshold) => set({ blockThreshold })} />
        </div>
        <Effect projectId={project.projectId} sourceId={sourceId} chosen={chosen} />
        <AdminOnly>
          <Apply
            project={project}
            sourceId={sourceId}
            current={current}
            chosen={chosen}
            choose={choose}
            reload={reload}
          />
        </AdminOnly>
      </section>
      <Advice projectId={project.projectId} sourceId={sourceId} choose={choose} />
      {project.config.liteConfig?.shadow !== undefined && <Shadow projectId={project.projectId} sourceId={sourceId} />}
      <Probabilities project={project} sourceId={sourceId} reload={reload} />
      <Fairness projectId={project.projectId} sourceId={sourceId} />
    </div>
  );
}

interface NumberProps {
  readonly label: string;
  readonly value: number;
  readonly set: (value: number) => void;
}

const Slider = ({ label, value, set }: NumberProps) => (
  <div class="exact">
    <label class="field">
      <span>
        {label} <b class="number">{value}</b>
      </span>
      <input
        type="range"
        min="0"
        max="100"
        step="1"
        value={value}
        onInput={({ currentTarget }) => set(Number(currentTarget.value))}
      />
    </label>
    <ExactNumber label={`${label}, exactly`} value={value} set={set} />
  </div>
);

/** Takes the number when it is entered, so that no half of it pushes the other slider; until then it stays as typed, whatever is drawn meanwhile. */
function ExactNumber({ label, value, set }: NumberProps) {
  const [typed, type] = useState<string | null>(null);
  const enter = (input: HTMLInputElement): void => {
    if (!input.reportValidity()) return;
    type(null);
    set(Number(input.value));
  };
  return (
    <input
      type="number"
      aria-label={label}
      required
      min="0"
      max="100"
      step="1"
      value={typed ?? value}
      onInput={({ currentTarget }) => type(currentTarget.value)}
      onChange={({ currentTarget }) => enter(currentTarget)}
    />
  );
}
