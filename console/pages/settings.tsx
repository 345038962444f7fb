/** Settings of the project, each with what it does. Changes apply together; an emptied field restores the default. */
import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import { call, useRead } from '../api.js';
import { Failed, Shown } from '../parts/states.js';
import { plural } from '../parts/words.js';
import {
  groupsOf,
  patchOf,
  valueAt,
  type ApiDescription,
  type Field,
  type Group,
  type Value,
} from '../settings-fields.js';
import { ProjectFrame } from './project-frame.js';
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
    'The consent links to no privacy page. Set the organization’s consent with PUT /organizations/{orgId} before people see it.',
} as const satisfies Record<NonNullable<ProjectReply['warnings']>[number], string>;

/** Ids that pages and servers use, and what the service says about the project. None of them is secret. */
const Names = ({ projectId, siteKey, probeKey, organizationId, warnings = [], notes = [] }: ProjectReply) => (
  <>
    {[
      ...warnings.map((warning) => warningTexts[warning]),
      ...notes.map(({ path, message }) => `${path} ${message}`),
    ].map((text) => (
      <div key={text} class="notice warn">
        <p>{text}</p>
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
  const [changes, setChanges] = useState<ReadonlyMap<string, readonly [Field, Value]>>(new Map());
  const [result, setResult] = useState<{ text: string; isError: boolean } | null>(null);
  const change = (field: Field, value: Value): void => {
    const next = new Map(changes);
    const key = field.path.join('.');
    if (JSON.stringify(value) === JSON.stringify(valueAt(project, field.path))) next.delete(key);
    else next.set(key, [field, value]);
    setChanges(next);
    setResult(null);
  };
  const save = async (): Promise<void> => {
    try {
      await call(`/projects/${project.projectId}`, { method: 'PATCH', body: patchOf(new Map(changes.values())) });
      setChanges(new Map());
      setResult({ text: 'Saved. New scores and sessions use it within a second.', isError: false });
      saved();
    } catch (error) {
      setResult({ text: (error as Error).message, isError: true });
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {groups.map(({ title, description, fields }) => (
        <section key={title} class="card settings">
          <h2>{title}</h2>
          {description !== '' && <p class="muted small">{description}</p>}
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
      <div class="save-bar" role="status">
        {result?.isError === true && <Failed message={result.text} />}
        {result?.isError === false && <p class="good">{result.text}</p>}
        {changes.size > 0 && (
          <p class="actions">
            <button type="submit">Save {plural(changes.size, 'change')}</button>
            <button type="button" class="quiet" onClick={() => setChanges(new Map())}>
              Discard
            </button>
          </p>
        )}
      </div>
    </form>
  );
}
