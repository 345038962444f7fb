/** Respondents of a study with a link to the session of each. */
import { useEffect, useState } from 'preact/hooks';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import { query, usePages, useRead } from '../api.js';
import { reasonColumn, SessionLink, supplierColumn, timeColumn, verdictColumn } from '../parts/columns.js';
import { Rejection, rejectionOfPlace } from '../parts/rejection.js';
import { Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { readable } from '../parts/words.js';

interface Respondents {
  readonly respondents: readonly RespondentReply[];
  readonly nextCursor: string | null;
}

const lists = [
  ['all', 'Everyone'],
  ['verified', 'Verified or completed'],
  ['completed', 'Completed'],
  ['reversed', 'Rejected later'],
  ['ended_by_survey', 'Ended by the survey'],
  ['screened_out', 'Screened out'],
] as const;

const standings: Readonly<Partial<Record<RespondentReply['status'], string>>> = {
  terminated: 'Ended by the survey',
  released: 'Did not come back',
};

export const screenOutTexts: Readonly<Record<NonNullable<RespondentReply['screenOutReason']>, string>> = {
  full: 'study or quotas full',
  duplicate: 'took part before',
  quality: 'entry check or verification',
  targeting: 'outside of the countries',
  limit: 'over a limit',
};

const details: Readonly<Record<string, string>> = {
  ...screenOutTexts,
  score: 'entry check: the score',
  program: 'entry check: a program',
  verification: 'verification failed',
  confirmed: 'confirmed',
  unconfirmed: 'not confirmed',
  too_fast: 'too fast',
};

/** A complete that was rejected later is kept as terminated. */
const standingOf = ({ status, completion }: RespondentReply): string =>
  completion === 'reversed' ? 'Completed' : (standings[status] ?? readable(status));

function detailOf({ completion, screenOutRule, refusedFor, reversalNote }: RespondentReply): string {
  const detail = details[completion ?? screenOutRule ?? ''];
  return [detail, completion === 'reversed' ? null : refusedFor, reversalNote]
    .filter((each) => typeof each === 'string')
    .join(', ');
}

interface RespondentsProps {
  readonly projectId: string;
  readonly path: string;
  /** Reads again when it changes. */
  readonly round: number;
}

export function StudyRespondents({ projectId, path, round }: RespondentsProps) {
  const [status, setStatus] = useState<string>('all');
  const [typed, setTyped] = useState('');
  const [rid, setRid] = useState('');
  const list = `${path}/respondents${query({ status, rid, limit: 20 })}`;
  const first = useRead<Respondents>(list, 'audience');
  useEffect(() => {
    if (round > 0) first.reload();
  }, [round]);
  return (
    <section class="card">
      <div class="title">
        <h2>Respondents</h2>
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            setRid(typed.trim());
          }}
        >
          <label class="inline">
            <span>Respondent id</span>
            <input
              type="search"
              value={typed}
              maxLength={256}
              autoComplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
          <button type="submit" class="quiet">
            Find
          </button>
        </form>
        <label class="inline">
          <span>Show</span>
          <select value={status} onChange={({ currentTarget }) => setStatus(currentTarget.value)}>
            {lists.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={first} what="respondents">
        {(page) =>
          page.respondents.length === 0 ? (
            <p class="muted">{emptyTextOf(status, rid)}</p>
          ) : (
            <RespondentTable projectId={projectId} list={list} first={page} />
          )
        }
      </Shown>
    </section>
  );
}

function emptyTextOf(status: string, rid: string): string {
  if (rid !== '') return 'No respondent has this id. Ids must match exactly.';
  return status === 'all' ? 'No respondents yet.' : 'No respondent matches.';
}

function RespondentTable({ projectId, list, first }: { projectId: string; list: string; first: Respondents }) {
  const { pages, ...more } = usePages(list, first, 'audience');
  return (
    <>
      <Table
        columns={columnsOf(projectId)}
        rows={pages.flatMap(({ respondents }) => respondents)}
        keyOf={({ sessionId }) => sessionId}
      />
      <Older of={more} what="respondents" />
    </>
  );
}

const columnsOf = (projectId: string): readonly Column<RespondentReply>[] => [
  {
    name: 'Respondent',
    cell: ({ sessionId, respondentId }) => (
      <SessionLink projectId={projectId} sessionId={sessionId} text={respondentId} />
    ),
  },
  supplierColumn(({ sourceId }) => sourceId),
  { name: 'Standing', cell: (respondent) => <Standing of={respondent} /> },
  verdictColumn(
    (respondent) => respondent,
    (respondent) => <Rejection of={rejectionOfPlace(respondent)} />,
  ),
  reasonColumn(({ reason }) => reason),
  timeColumn('Entered', ({ enteredAt }) => enteredAt),
];

function Standing({ of }: { of: RespondentReply }) {
  const detail = detailOf(of);
  return (
    <span>
      {standingOf(of)}
      {detail !== '' && <span class="muted small"> {detail}</span>}
    </span>
  );
}
