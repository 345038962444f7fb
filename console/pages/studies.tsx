/** Studies of the project: how far each is filled. */
import { Link } from 'wouter-preact';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Meter } from '../parts/meter.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatCount, formatTime } from '../parts/words.js';

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
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Study</th>
            <th scope="col">State</th>
            <th scope="col">Completed</th>
            <th scope="col" class="end">
              Entered
            </th>
            <th scope="col" class="end">
              Screened out
            </th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {pages
            .flatMap((page) => page.studies)
            .map(({ studyId, name, status, progress, createdAt }) => (
              <tr key={studyId}>
                <th scope="row">
                  <Link href={`/${projectId}/studies/${studyId}`}>{name}</Link>
                </th>
                <td data-label="State">
                  <Badge value={status} />
                </td>
                <td data-label="Completed">
                  <Meter value={progress.completed} of={progress.sample_size} />
                </td>
                <td data-label="Entered" class="end">
                  {formatCount(progress.entered)}
                </td>
                <td data-label="Screened out" class="end">
                  {formatCount(progress.screened_out)}
                </td>
                <td data-label="Created">
                  <time dateTime={createdAt}>{formatTime(createdAt)}</time>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      <Older of={more} what="studies" />
    </>
  );
}
