/** Decides whether a verdict that is known has changed enough to be reported. Pure. */
import type { RecordedVerdict } from '../../contract/pool.js';
import type { VerdictEvent } from '../../contract/session-event.js';

/** A score that moves less, under the same recommendation, is not reported. */
export const scoreStep = 10;
const reasonsMax = 20;

export interface Look {
  /** The verdict that the project knows. */
  readonly known: RecordedVerdict;
  /** The latest that a call got; the known one itself where no call came since. */
  readonly called: RecordedVerdict;
  /** The present rules on the facts that are looked at, with their recorded history: another release alone changes nothing. */
  readonly before: RecordedVerdict;
  /** The same with the present history. */
  readonly now: RecordedVerdict;
}

/** history: what became known since, which needs a new receipt. call: a later call said so already. null: nothing to report. */
export type ChangedBy = 'history' | 'call' | null;

export function findChange({ known, called, before, now }: Look): ChangedBy {
  if (isMoved(before, now)) return isMoved(known, now) ? 'history' : null;
  return isMoved(known, called) ? 'call' : null;
}

function isMoved(from: RecordedVerdict, to: RecordedVerdict): boolean {
  return from.recommendation !== to.recommendation || Math.abs(from.score - to.score) >= scoreStep;
}

type Report = Pick<VerdictEvent['data'], 'from' | 'to' | 'reasons'>;

export const describeChange = (from: RecordedVerdict, to: RecordedVerdict): Report => ({
  from: { score: from.score, recommendation: from.recommendation },
  to: { score: to.score, recommendation: to.recommendation },
  reasons: [...new Set([...codesWithout(to, from), ...codesWithout(from, to)])].slice(0, reasonsMax),
});

/** Codes of findings that the other verdict lacks, or has on another list or of another strength; foremost first. Notes count for nothing. */
function codesWithout(verdict: RecordedVerdict, other: RecordedVerdict): readonly string[] {
  const nameOf = ({ code, list, strength }: RecordedVerdict['classification'][number]) => `${code}/${list}/${strength}`;
  const known = new Set(other.classification.map(nameOf));
  return verdict.classification
    .filter((finding) => finding.list !== 'notes' && !known.has(nameOf(finding)))
    .map(({ code }) => code);
}
