/** Settings of the project, each with what it does. Changes apply together; an emptied field restores the default. */
import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import { useRead } from '../api.js';
import { useLeaveGuard } from '../leave-guard.js';
import { Confirmation } from '../parts/confirmation.js';
import { DocText } from '../parts/doc-text.js';
import { Empty, Failed, Shown } from '../parts/states.js';
import { plural } from '../parts/words.js';
import { groupsOf, searchGroups, valueAt, type ApiDescription, type Group } from '../settings-fields.js';
import { ProjectFrame } from './project-frame.js';
import { useSettingChanges, type SettingChanges } from './settings-changes.js';
import { SettingField } from './settings-field.js';

export function SettingsPage({ projectId }: { projectId: string }) {
  const project = useRead<ProjectReply>(`/projects/${projectId}`);
  const description = useRead<ApiDescription>('/openapi.json');
  return (
    <ProjectFrame projectId={projectId} page="settings" reload={project.reload}>
      <Shown of={project} what="the project">
        {(known) => (
          <>
            <Names {...known} />
            <Shown of={description} what="the settings">
              {(api) => <Settings project={known} groups={groupsOf(api)} saved={project.reload} />}
            </Shown>
          </>
        )}
      </Shown>
    </ProjectFrame>
  );
}

const warningTexts = {
  consent_incomplete:
    'The consent links to no privacy page. Set the organization’s consent before people see it: docs/how-to/provision-projects.md.',
} as const satisfies Record<NonNullable<ProjectReply['warnings']>[number], string>;

/** Ids that pages and servers use, and what the service says about the project. None of them is secret. */
const Names = ({ projectId, siteKey, probeKey, organizationId, warnings = [], notes = [] }: ProjectReply) => (
  <>
    {[
      ...warnings.map((warning) => warningTexts[warning]),
      ...notes.map(({ path, message }) => `${path} ${message}`),
    ].map((text) => (
      <div key={text} class="notice warn">
        <p>
          <DocText text={text} />
        </p>
      </div>
    ))}
    <section class="card">
      <h2>Ids and public keys</h2>
      <dl class="pairs">
        {Object.entries({
          'Project id': projectId,
          'Site key of the widget': siteKey,
          'Key of the probe': probeKey,
          'Organization id': organizationId,
        }).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  </>
);

interface SettingsProps {
  readonly project: ProjectReply;
  readonly groups: readonly Group[];
  readonly saved: () => void;
}

function Settings({ project, groups, saved }: SettingsProps) {
  const pending = useSettingChanges(project, saved);
  const [search, setSearch] = useState('');
  const [isAsked, ask] = useState(false);
  useLeaveGuard(pending.changes.size > 0);
  const demandsCamera = pending.changes.get('config.minimumAssurance')?.[1] === 'biometric';
  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Find a setting</span>
          <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
        </label>
      </form>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (demandsCamera) ask(true);
          else pending.trySave();
        }}
      >
        <Groups groups={searchGroups(groups, search)} {...pending} />
        <SaveBar {...pending} />
      </form>
      {isAsked && (
        <Confirmation title="Demand a camera check?" action="Save" run={pending.save} close={() => ask(false)}>
          <p>Sessions without a camera check will fail.</p>
        </Confirmation>
      )}
    </>
  );
}

function Groups({ project, groups, changes, change }: SettingChanges & Pick<SettingsProps, 'groups'>) {
  if (groups.length === 0) return <Empty title="No setting matches" />;
  return (
    <>
      {groups.map(({ title, description, fields }) => (
        <section key={title} class="card settings">
          <h2>{title}</h2>
          {description !== '' && (
            <p class="muted small">
              <DocText text={description} />
            </p>
          )}
          {fields.map((field) => {
            const key = field.path.join('.');
            const changed = changes.get(key);
            const value = changed === undefined ? valueAt(project, field.path) : changed[1];
            return (
              <SettingField
                key={key}
                field={field}
                value={value}
                isChanged={changed !== undefined}
                change={(next) => change(field, next)}
              />
            );
          })}
        </section>
      ))}
    </>
  );
}

const SaveBar = ({ changes, result, discard, undo }: SettingChanges) => (
  <div class="save-bar" role="status">
    {result?.isError === true && <Failed message={result.text} />}
    {result?.isError === false && <p class="good">{result.text}</p>}
    {changes.size > 0 ? (
      <p class="actions">
        <button type="submit">Save {plural(changes.size, 'change')}</button>
        <button type="button" class="quiet" onClick={discard}>
          Discard
        </button>
      </p>
    ) : (
      undo !== null && (
        <p class="actions">
          <button type="button" class="quiet" onClick={undo}>
            Undo the last save
          </button>
        </p>
      )
    )}
  </div>
);
