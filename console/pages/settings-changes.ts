/** Changes of settings that wait to be saved, and how to revert the last save. */
import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import { call } from '../api.js';
import { patchOf, valueAt, type Field, type Value } from '../settings-fields.js';

type Changes = ReadonlyMap<string, readonly [Field, Value]>;

export interface SettingChanges {
  /** The project after the last read or save. */
  readonly project: ProjectReply;
  readonly changes: Changes;
  readonly result: { readonly text: string; readonly isError: boolean } | null;
  readonly change: (field: Field, value: Value) => void;
  readonly discard: () => void;
  /** Rejects with why nothing was saved. */
  readonly save: () => Promise<void>;
  /** Says in `result` why nothing was saved. */
  readonly trySave: () => void;
  /** null if nothing was saved since the page was opened. */
  readonly undo: (() => void) | null;
}

export function useSettingChanges(read: ProjectReply, saved: () => void): SettingChanges {
  const [reply, setReply] = useState<ProjectReply | null>(null);
  useEffect(() => setReply(null), [read]);
  const project = reply ?? read;
  const [changes, setChanges] = useState<Changes>(new Map());
  const [before, setBefore] = useState<ReadonlyMap<Field, Value> | null>(null);
  const [result, setResult] = useState<SettingChanges['result']>(null);
  const patch = async (values: ReadonlyMap<Field, Value>, text: string): Promise<void> => {
    setReply(await call<ProjectReply>(`/projects/${project.projectId}`, { method: 'PATCH', body: patchOf(values) }));
    setResult({ text, isError: false });
    saved();
  };
  const save = async (): Promise<void> => {
    const previous = new Map([...changes.values()].map(([field]) => [field, valueAt(project, field.path) as Value]));
    await patch(new Map(changes.values()), 'Saved. New scores and sessions use it within a second.');
    setChanges(new Map());
    setBefore(previous);
  };
  const undo = async (values: ReadonlyMap<Field, Value>): Promise<void> => {
    await patch(values, 'Undone. The settings are as before the last save.');
    setBefore(null);
  };
  const attempt = (work: Promise<void>): void =>
    void work.catch(({ message }: Error) => setResult({ text: message, isError: true }));
  return {
    project,
    changes,
    result,
    change(field, value) {
      const next = new Map(changes);
      const key = field.path.join('.');
      if (JSON.stringify(value) === JSON.stringify(valueAt(project, field.path))) next.delete(key);
      else next.set(key, [field, value]);
      setChanges(next);
      setResult(null);
    },
    discard: () => setChanges(new Map()),
    save,
    trySave: () => attempt(save()),
    undo: before === null ? null : () => attempt(undo(before)),
  };
}
