/** The merge patch of a project (RFC 7396). The result is checked as a whole: a knob may contradict one set earlier. */
import { isDeepStrictEqual } from 'node:util';
import { applyShadow, calibrationDefaults, type LiteConfig } from '../../contract/calibration.js';
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
  return [
    ...contradictionsIn(lite, '/config/liteConfig'),
    ...(lite.shadow === undefined ? [] : contradictionsIn(applyShadow(lite), '/config/liteConfig/shadow')),
  ];
}

const contradictionsIn = ({ perSource = {}, ...base }: LiteConfig, path: string): readonly Issue[] => [
  ...contradictionsOf(base, path),
  ...Object.entries(perSource).flatMap(([source, override]) =>
    contradictionsOf({ ...base, ...override }, `${path}/perSource/${pointerSegment(source)}`),
  ),
];

function contradictionsOf(knobs: Omit<LiteConfig, 'perSource'>, path: string): readonly Issue[] {
  const { reviewLow, blockThreshold, recalibration = [] } = { ...calibrationDefaults, ...knobs };
  const bent = recalibration.findIndex(([at = 0, value = 0, low = 0, high = 0], point) => {
    const [before = -1, lower = 0] = recalibration[point - 1] ?? [];
    return at <= before || value < lower || value < low || value > high;
  });
  if (bent >= 0)
    return [
      {
        path: `${path}/recalibration/${bent}`,
        message: 'must rise from the point before, with low ≤ value ≤ high. Send the curve of GET /lite/calibration.',
      },
    ];
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

const textMax = 200;
const itemsMax = 20;

/** Values at those of the paths where they differ, with the defaults of what was not set. Long ones are cut. */
export function changedValues(
  paths: readonly string[],
  before: unknown,
  after: unknown,
): Readonly<Record<'before' | 'after', Readonly<Record<string, unknown>>>> {
  const pairs = paths.map((path) => [path, valueAt(before, path), valueAt(after, path)] as const);
  const differing = pairs.filter(([, from, to]) => !isDeepStrictEqual(from, to));
  return {
    before: Object.fromEntries(differing.map(([path, from]) => [path, shorten(from)])),
    after: Object.fromEntries(differing.map(([path, , to]) => [path, shorten(to)])),
  };
}

function valueAt(shown: unknown, path: string): unknown {
  let value = shown;
  for (const segment of path.split('/').slice(1)) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value ?? null;
}

/** The query of an address may contain secrets. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = /^https?:/.test(value) ? value.replace(/[?#].*$/s, '') : value;
    return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
  }
  if (Array.isArray(value)) return value.slice(0, itemsMax).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, itemsMax);
  return Object.fromEntries(entries.map(([name, each]) => [name, shorten(each)]));
}
