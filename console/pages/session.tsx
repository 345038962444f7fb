/** One session: the verdict, why, and what is known of it. */
import { Link } from 'wouter-preact';
import type { EvidenceReply } from '../../src/contract/score.js';
import type { SessionTrailReply } from '../../src/contract/session-trail.js';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import { query, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Rejection, rejectionOfOutcome, rejectionOfPlace, type Rejected } from '../parts/rejection.js';
import { Empty, Failed, Loading, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatCount, formatTime, plural, readable } from '../parts/words.js';
import { SessionFlags } from './flags.js';
import { Axes } from './session-axes.js';
import { Changes } from './session-changes.js';
import { SessionDecision, SessionMeaning } from './session-decision.js';
import { Evidence } from './session-evidence.js';
import { Related } from './session-related.js';

export function SessionPage({ projectId, sessionId }: { projectId: string; sessionId: string }) {
  const trail = useRead<SessionTrailReply>(`/lite/sessions/${encodeURIComponent(sessionId)}${query({ projectId })}`);
  return (
    <>
      <p class="back">
        <Link href={`/${projectId}/sessions${filtersOf(window.history.state)}`}>← Sessions</Link>
      </p>
      {trail.error?.status === 404 ? (
        <>
          <Empty title="Session not found">
            <p>It was not scored in this project, or it was deleted. New scores appear here after about a second.</p>
            <button type="button" onClick={trail.reload}>
              Look again
            </button>
          </Empty>
          <SessionFlags projectId={projectId} sessionId={sessionId} />
        </>
      ) : (
        <Shown of={trail} what="the session">
          {(known) => <Session projectId={projectId} trail={known} reload={trail.reload} />}
        </Shown>
      )}
    </>
  );
}

/** The list’s query, which its links keep in the history of the browser. */
const filtersOf = (state: unknown): string =>
  typeof state === 'object' && state !== null && 'filters' in state && typeof state.filters === 'string'
    ? state.filters
    : '';

interface SessionProps {
  readonly projectId: string;
  readonly trail: SessionTrailReply;
  readonly reload: () => void;
}

function Session({ projectId, trail, reload }: SessionProps) {
  const { sessionId, receipts, probes, outcomes, rejection } = trail;
  const [latest, before] = receipts;
  const evidence = useRead<EvidenceReply>(evidencePath(latest?.receiptId, projectId));
  const earlier = useRead<EvidenceReply>(evidencePath(before?.receiptId, projectId));
  const place = useRespondent(sessionId, latest?.studyId ?? null);
  const respondent = place.data?.respondents[0] ?? null;
  const reloadAll = (): void => {
    reload();
    place.reload();
  };
  return (
    <>
      <Title text={sessionId} reload={reloadAll} />
      {latest === undefined ? (
        <p class="notice warn">
          No score of this session is recorded. A new one appears here after about a second. Scores of an erased
          respondent are gone.
        </p>
      ) : (
        <p class="facts">
          <Badge value={latest.recommendation} />
          <Rejection of={rejectionOf(respondent, rejection)} />
          <span>
            Score <b class="number">{latest.score}</b> of 100
          </span>
          <span>Class {readable(latest.verdictClass).toLowerCase()}</span>
          {respondent !== null && (
            <span>
              Respondent <Link href={`/${projectId}/studies/${latest.studyId}`}>{respondent.respondentId}</Link>
            </span>
          )}
          <span>Supplier {latest.sourceId ?? 'not named'}</span>
          <Study projectId={projectId} sessionId={sessionId} studyId={latest.studyId} />
          <time dateTime={latest.scoredAt}>{formatTime(latest.scoredAt)}</time>
        </p>
      )}
      {latest !== undefined && <SessionDecision receipt={latest} respondent={respondent} />}
      {evidence.data !== null && <SessionMeaning verdict={evidence.data.verdict} />}
      {evidence.error !== null && <Failed message={evidence.error.message} retry={evidence.reload} />}
      {latest !== undefined && evidence.data === null && evidence.error === null && <Loading what="the evidence" />}
      <div class="columns">
        {evidence.data !== null && (
          <>
            <Evidence reply={evidence.data} />
            <Axes reply={evidence.data} />
          </>
        )}
        <Related projectId={projectId} sessionId={sessionId} duplicate={evidence.data?.verdict.duplicate ?? null} />
        <SessionFlags projectId={projectId} sessionId={sessionId} />
        <Probes probes={probes} />
        <Outcomes outcomes={outcomes} />
        {latest !== undefined && <Changes receipts={receipts} latest={evidence.data} earlier={earlier.data} />}
      </div>
    </>
  );
}

interface StudyProps {
  readonly projectId: string;
  readonly sessionId: string;
  readonly studyId: string | null;
}

/** Only a study of the service has a page, and its sessions are places. */
const Study = ({ projectId, sessionId, studyId }: StudyProps) => (
  <span>
    Study{' '}
    {studyId !== null && sessionId.startsWith('plc_') ? (
      <Link href={`/${projectId}/studies/${encodeURIComponent(studyId)}`}>{studyId}</Link>
    ) : (
      (studyId ?? 'not named')
    )}
  </span>
);

/** The study knows first whether its complete stands; an outcome says so of any other session. */
const rejectionOf = (
  respondent: RespondentReply | null,
  rejection: SessionTrailReply['rejection'],
): Rejected | null => {
  const outcome = rejection === null ? null : rejectionOfOutcome(rejection);
  if (respondent === null || respondent.completion === null) return outcome;
  const place = rejectionOfPlace(respondent);
  return place === null ? null : (outcome ?? place);
};

/** Scores keep no respondent id. Studies of the service do, and their sessions are places. */
function useRespondent(sessionId: string, studyId: string | null) {
  const isPlace = studyId !== null && sessionId.startsWith('plc_');
  const path = `/studies/${encodeURIComponent(studyId ?? '')}/respondents${query({ sessionId, status: 'all' })}`;
  return useRead<{ respondents: readonly RespondentReply[] }>(isPlace ? path : null, 'audience');
}

const evidencePath = (receiptId: string | undefined, projectId: string): string | null =>
  receiptId === undefined ? null : `/lite/score/${receiptId}/evidence${query({ projectId })}`;

/** A page that the probe did not see load counts as one. */
const countPages = (probes: SessionTrailReply['probes']): number =>
  probes.reduce((total, { loads }) => total + Math.max(1, loads), 0);

const Probes = ({ probes }: Pick<SessionTrailReply, 'probes'>) => (
  <section class="card">
    <h2>Pages with the probe: {probes.length === 0 ? 'none seen' : formatCount(countPages(probes))}</h2>
    {probes.length === 0 ? (
      <p class="muted">No probe data in the last 24 hours for this session id and this project’s probe key.</p>
    ) : (
      <ul class="list">
        {probes.map(({ origin, loads, messages, receivedAt }) => (
          <li key={origin}>
            <b>{origin ?? 'No origin sent, as from a sandboxed frame'}</b>
            <span class="muted">
              {plural(loads, 'load')}, {plural(messages, 'message')}
              {receivedAt !== null && `, last ${formatTime(receivedAt)}`}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const Outcomes = ({ outcomes }: Pick<SessionTrailReply, 'outcomes'>) => (
  <section class="card">
    <h2>Outcomes</h2>
    {outcomes.length === 0 ? (
      <p class="muted">No outcomes reported. Post them to /lite/events to improve later scores.</p>
    ) : (
      <ul class="list">
        {outcomes.map(({ type, occurredAt, reasonClass, eventId, retracted }) => (
          <li key={`${eventId} ${type} ${occurredAt}`}>
            <b>{readable(type)}</b>
            <span class="muted">
              {formatTime(occurredAt)}
              {reasonClass !== null && `, ${readable(reasonClass).toLowerCase()}`}
              {retracted && ', withdrawn'}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
