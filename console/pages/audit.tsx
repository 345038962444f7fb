/** The audit trail of the organization: who changed what, and when. */
import type { AuditEntry } from '../../src/contract/audit.js';
import { usePages, useRead } from '../api.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { formatTime, readable } from '../parts/words.js';
import { ProjectFrame } from './project-frame.js';

interface Trail {
  readonly entries: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

export function AuditPage({ projectId, organizationId }: { projectId: string; organizationId: string }) {
  const path = `/organizations/${organizationId}/audit`;
  const trail = useRead<Trail>(path);
  return (
    <ProjectFrame projectId={projectId} page="audit" reload={trail.reload}>
      <Shown of={trail} what="the audit trail">
        {(first) =>
          first.entries.length === 0 ? <Empty title="Nothing was changed yet" /> : <Entries path={path} first={first} />
        }
      </Shown>
    </ProjectFrame>
  );
}

/** `project.signing_secret_rotated` reads "Project: signing secret rotated". */
const actionOf = (action: string): string => readable(action.replace('.', ': '));

function Entries({ path, first }: { path: string; first: Trail }) {
  const { pages, ...more } = usePages(path, first);
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Change</th>
            <th scope="col">By</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {pages
            .flatMap(({ entries }) => entries)
            .map(({ entryId, at, action, subject, actor, detail }) => (
              <tr key={entryId}>
                <td data-label="Time">
                  <time dateTime={at}>{formatTime(at)}</time>
                </td>
                <th scope="row">
                  <span>{actionOf(action)}</span> <code class="muted">{subject.id}</code>
                </th>
                <td data-label="By" class="small">
                  {actor.role ?? readable(actor.kind)} <code class="muted">{actor.id}</code>
                </td>
                <td data-label="Detail">
                  {Object.keys(detail).length > 0 && (
                    <details>
                      <summary>Show</summary>
                      <pre>{JSON.stringify(detail, null, 2)}</pre>
                    </details>
                  )}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      <Older of={more} what="entries" />
    </>
  );
}
