/** The merge patch of a project (RFC 7396). The result is checked as a whole: a knob may contradict one set earlier. */
import { isDeepStrictEqual } from 'node:util';
import { calibrationDefaults, type LiteConfig } from '../../contract/calibration.js';
import { ProjectChange, type ProjectFields, type ProjectPatch } from '../../contract/project.js';
import { pointerSegment, type Issue } from '../../errors.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export function applyPatch(stored: ProjectFields, patch: Json): ProjectFields {
  return merge(stored, patch) as unknown as ProjectFields;
}

function merge(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else
      Object.defineProperty(merged, name, {
        value: merge(merged[name] ?? null, value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return merged;
}

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Contradictions that no single field shows; empty where there are none. */
export function findContradictions(fields: ProjectFields): readonly Issue[] {
  const lite = fields.config?.liteConfig;
  if (lite === undefined) return [];
  const { perSource = {}, ...base } = lite;
  return [
    ...contradictionsOf(base, '/config/liteConfig'),
    ...Object.entries(perSource).flatMap(([source, override]) =>
      contradictionsOf({ ...base, ...override }, `/config/liteConfig/perSource/${pointerSegment(source)}`),
    ),
  ];
}

function contradictionsOf(knobs: Omit<LiteConfig, 'perSource'>, path: string): readonly Issue[] {
  const { reviewLow, blockThreshold } = { ...calibrationDefaults, ...knobs };
  if (reviewLow <= blockThreshold) return [];
  return [
    { path: `${path}/reviewLow`, message: `must be at most blockThreshold: ${reviewLow} is above ${blockThreshold}.` },
  ];
}

type ReadBack = Readonly<Partial<Record<string, unknown>>>;

/** Separates the changes from fields that are only present because a reply is sent back. */
export function splitPatch(patch: ProjectPatch): { readonly change: ProjectChange; readonly readBack: ReadBack } {
  const isChange = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(ProjectChange.properties, name);
  const entries = Object.entries(patch);
  return {
    change: Object.fromEntries(entries.filter(isChange)) as ProjectChange,
    readBack: Object.fromEntries(entries.filter((entry) => !isChange(entry))),
  };
}

/** Read-only names may come back as they are shown. Notes and warnings change by themselves and are ignored. */
export function readOnlyIssues(
  { notes: _notes, warnings: _warnings, ...readBack }: ReadBack,
  shown: ReadBack,
): Issue[] {
  return Object.entries(readBack).flatMap(([name, value]) =>
    isDeepStrictEqual(value, shown[name])
      ? []
      : [{ path: `/${name}`, message: 'is read-only. Omit it or send it unchanged.' }],
  );
}

const pathsMax = 100;

/** JSON pointers of what a patch sets, without the values; at most a hundred of them. */
export function changedPaths(patch: unknown): readonly string[] {
  return pathsIn(patch, '').slice(0, pathsMax);
}

function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, child]) => pathsIn(child, `${path}/${pointerSegment(name)}`));
}
