/** Duplicates: what was counted, and the other sessions of the same respondent or device. */
import { Link } from 'wouter-preact';
import type { DuplicateReply } from '../../src/contract/score.js';
import type { ScoredSessionPage } from '../../src/contract/session-trail.js';
import { query, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Shown } from '../parts/states.js';
import { formatTime } from '../parts/words.js';

const shownMax = 10;

const counts: Readonly<Record<keyof DuplicateReply['evidence'], string>> = {
  deviceSessionsDay: 'Sessions of this device, 24 h',
  deviceRespondentsDay: 'Respondents on this device, 24 h',
  respondentDay: 'Sessions of this respondent, 24 h',
  respondentDevicesWeek: 'Devices of this respondent, 7 days',
};

interface RelatedProps {
  readonly projectId: string;
  readonly sessionId: string;
  readonly duplicate: DuplicateReply | null;
}

export function Related({ projectId, sessionId, duplicate }: RelatedProps) {
  const others = useRead<ScoredSessionPage>(
    `/lite/sessions${query({ projectId, sharing: sessionId, limit: shownMax })}`,
  );
  return (
    <section class="card">
      <h2>Duplicates {duplicate !== null && <Badge value={duplicate.measured ? duplicate.band : 'not_measured'} />}</h2>
      {duplicate !== null && (
        <p class="muted small">Counts are those at the score. Later sessions do not change the verdict.</p>
      )}
      {duplicate !== null && (
        <dl class="pairs">
          {Object.entries(counts).map(([name, label]) => (
            <div key={name}>
              <dt>{label}</dt>
              <dd>{duplicate.evidence[name as keyof typeof counts] ?? <span class="muted">Not measured</span>}</dd>
            </div>
          ))}
        </dl>
      )}
      <h3>Same respondent or device, until now</h3>
      <Shown of={others} what="related sessions">
        {({ sessions, nextCursor }) => (
          <>
            {sessions.length === 0 && (
              <p class="muted">No other session{nextCursor === null ? '' : ' among the newest 20,000 sessions'}.</p>
            )}
            <ul class="list">
              {sessions.map(({ sessionId: other, lastScoredAt, receipt }) => (
                <li key={other}>
                  <Link class="id" href={`/${projectId}/sessions/${encodeURIComponent(other)}`}>
                    {other}
                  </Link>
                  <span class="muted small">
                    <Badge value={receipt.recommendation} /> {formatTime(lastScoredAt)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </section>
  );
}
