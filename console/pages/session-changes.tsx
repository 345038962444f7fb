/** The receipts of a session, and what changed between the last two. */
import type { EvidenceReply } from '../../src/contract/score.js';
import type { SessionReceipt } from '../../src/contract/session-trail.js';
import { Badge } from '../parts/badge.js';
import { formatTime } from '../parts/words.js';

interface ChangesProps {
  readonly receipts: readonly SessionReceipt[];
  readonly latest: EvidenceReply | null;
  readonly earlier: EvidenceReply | null;
}

export const Changes = ({ receipts, latest, earlier }: ChangesProps) => (
  <section class="card">
    <h2>Receipts</h2>
    <ol class="list">
      {receipts.map(({ receiptId, scoredAt, score, recommendation }) => (
        <li key={receiptId}>
          <span>
            <Badge value={recommendation} /> <b class="number">{score}</b>{' '}
            <span class="muted small">{formatTime(scoredAt)}</span>
          </span>
          <code>{receiptId}</code>
        </li>
      ))}
    </ol>
    {receipts.length > 1 && latest !== null && earlier !== null && <Difference latest={latest} earlier={earlier} />}
  </section>
);

function Difference({ latest, earlier }: { latest: EvidenceReply; earlier: EvidenceReply }) {
  const added = missingIn(latest, earlier);
  const gone = missingIn(earlier, latest);
  const points = latest.verdict.score - earlier.verdict.score;
  return (
    <>
      <h3>Changes since the previous receipt</h3>
      <p>
        {points === 0
          ? 'The score stayed the same.'
          : `The score went ${points > 0 ? 'up' : 'down'} by ${Math.abs(points)}.`}{' '}
        {added.length + gone.length === 0 && 'The evidence stayed the same.'}
      </p>
      <ul class="list">
        {added.map((detail) => (
          <li key={detail}>New: {detail}</li>
        ))}
        {gone.map((detail) => (
          <li key={detail}>No longer: {detail}</li>
        ))}
      </ul>
    </>
  );
}

/** Scored findings that the other receipt does not have. */
function missingIn({ evidence }: EvidenceReply, other: EvidenceReply): readonly string[] {
  const known = new Set([...other.evidence.against, ...other.evidence.for].map(({ code }) => code));
  return [...evidence.against, ...evidence.for].flatMap(({ code, detail }) => (known.has(code) ? [] : [detail]));
}
