/** The verdict in a sentence, and its findings: the foremost first. */
import type { EvidenceReply, Finding } from '../../src/contract/score.js';
import { readable } from '../parts/words.js';

const tones: Readonly<Record<Finding['strength'], string>> = {
  strong: 'bad',
  moderate: 'warn',
  weak: 'info',
  none: 'plain',
};

export function Evidence({ reply: { evidence, verdict, provenance } }: { reply: EvidenceReply }) {
  return (
    <section class="card">
      <h2>Why</h2>
      <p class="summary">{evidence.summary}</p>
      <Findings title="Against" findings={evidence.against} empty="No evidence against this session." />
      <Findings title="In favor" findings={evidence.for} empty="No evidence in favor." good />
      {evidence.notes.length > 0 && (
        <details>
          <summary>Noted, not scored ({evidence.notes.length})</summary>
          <List findings={evidence.notes} />
        </details>
      )}
      {verdict.ceilings.length > 0 && (
        <p class="muted small">Capped by: {verdict.ceilings.map((each) => readable(each)).join(', ')}.</p>
      )}
      {!provenance.faithful && <p class="notice warn">{provenance.note}</p>}
    </section>
  );
}

interface FindingsProps {
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly empty: string;
  readonly good?: boolean;
}

const Findings = ({ title, findings, empty, good = false }: FindingsProps) => (
  <>
    <h3>
      {title} ({findings.length})
    </h3>
    {findings.length === 0 ? <p class="muted">{empty}</p> : <List findings={findings} good={good} />}
  </>
);

const List = ({ findings, good = false }: { findings: readonly Finding[]; good?: boolean }) => (
  <ol class="list findings">
    {findings.map(({ code, axis, strength, detail }) => (
      <li key={code}>
        <span>
          <b>{detail}</b>
          <span class="muted small">
            {readable(axis)} · <code>{code}</code>
          </span>
        </span>
        {strength !== 'none' && <span class={`badge ${good ? 'good' : tones[strength]}`}>{readable(strength)}</span>}
      </li>
    ))}
  </ol>
);
