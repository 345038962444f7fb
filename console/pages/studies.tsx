/** Studies of the project: how far each is filled. */
import { Link } from 'wouter-preact';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { query, usePages, useRead } from '../api.js';
import { countColumn, meterColumn, stateColumn, timeColumn } from '../parts/columns.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Title } from '../parts/title.js';

interface StudyPage {
  readonly studies: readonly StudyReply[];
  readonly nextCursor: string | null;
}

export function StudiesPage({ projectId }: { projectId: string }) {
  const path = `/studies${query({ projectId, limit: 50 })}`;
  const studies = useRead<StudyPage>(path, 'audience');
  return (
    <>
      <Title text="Studies" reload={studies.reload} />
      <Shown of={studies} what="studies">
        {(first) =>
          first.studies.length === 0 ? (
            <Empty title="No study yet">
              <p>Create one with POST /studies of the audience API. Its respondents are scored at the entry.</p>
            </Empty>
          ) : (
            <StudyTable projectId={projectId} path={path} first={first} />
          )
        }
      </Shown>
    </>
  );
}

function StudyTable({ projectId, path, first }: { projectId: string; path: string; first: StudyPage }) {
  const { pages, ...more } = usePages(path, first, 'audience');
  return (
    <>
      <Table
        columns={columnsOf(projectId)}
        rows={pages.flatMap((page) => page.studies)}
        keyOf={({ studyId }) => studyId}
      />
      <Older of={more} what="studies" />
    </>
  );
}

const columnsOf = (projectId: string): readonly Column<StudyReply>[] => [
  { name: 'Study', cell: ({ studyId, name }) => <Link href={`/${projectId}/studies/${studyId}`}>{name}</Link> },
  stateColumn(({ status }) => status),
  meterColumn('Completed', ({ progress: { completed, sample_size: wanted } }) => [completed, wanted]),
  countColumn('Entered', ({ progress }) => progress.entered),
  countColumn('Screened out', ({ progress }) => progress.screened_out),
  timeColumn('Created', ({ createdAt }) => createdAt),
];
