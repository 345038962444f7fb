/** The six axes as bars. An axis that was not measured has no bar and no number: it is not a zero. */
import { unmeasuredAxes } from '../../src/contract/axes.js';
import type { EvidenceReply, Finding } from '../../src/contract/score.js';
import { readable } from '../parts/words.js';

type Verdict = EvidenceReply['verdict'];
type Axis = keyof Verdict['categories'];

const meanings: Readonly<Record<Axis, string>> = {
  network: 'IP address and network',
  device: 'Browser and device',
  velocity: 'Rates and bursts',
  behavior: 'Interaction with the page',
  history: 'Earlier outcomes',
  duplicate: 'Repeats; not part of the score',
};

const probeLosses = ['client_probe_missing', 'probe_unusable', 'probe_unreadable'];

/** Without the probe, the device axis may still have what the call itself says. */
const meaningOf = (axis: Axis, { categories, degradedSignals }: Verdict): string =>
  axis === 'device' && categories.device > 0 && degradedSignals.some((code) => probeLosses.includes(code))
    ? 'What the call said of the browser; the device itself was not measured'
    : meanings[axis];

const describe = (code: string, notes: readonly Finding[]): string =>
  notes.find((note) => note.code === code)?.detail ?? `${readable(code)}.`;

const toneOf = (value: number): string => {
  if (value >= 75) return 'bad';
  return value >= 40 ? 'warn' : 'good';
};

export function Axes({ reply: { verdict, evidence } }: { reply: EvidenceReply }) {
  const unmeasured = unmeasuredAxes(verdict);
  return (
    <section class="card">
      <h2>Six axes, 0 to 100</h2>
      <ul class="axes">
        {(Object.keys(meanings) as Axis[]).map((axis) => {
          const value = verdict.categories[axis];
          const measured = axis === 'duplicate' ? verdict.duplicate.measured : !unmeasured.includes(axis);
          return (
            <li key={axis}>
              <span>
                <b>{readable(axis)}</b> <span class="muted small">{meaningOf(axis, verdict)}</span>
              </span>
              <span class={measured ? 'number' : 'muted small'}>{measured ? value : 'Not measured'}</span>
              <span class={measured ? 'meter' : 'meter unmeasured'} aria-hidden="true">
                {measured && <span class={toneOf(value)} style={{ width: `${value}%` }} />}
              </span>
            </li>
          );
        })}
      </ul>
      {verdict.degradedSignals.length > 0 && (
        <p class="muted small">
          Limits of this score: {verdict.degradedSignals.map((code) => describe(code, evidence.notes)).join(' ')}
        </p>
      )}
    </section>
  );
}
