/** The merge patch of a project (RFC 7396). The result is checked as a whole: a knob may contradict one set earlier. */
import { calibrationDefaults, type LiteConfig } from '../../contract/calibration.js';
import type { ProjectFields } from '../../contract/project.js';
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

const pathsMax = 100;

/** JSON pointers of what a patch sets, without the values; at most a hundred of them. */
export function changedPaths(patch: unknown): readonly string[] {
  return pathsIn(patch, '').slice(0, pathsMax);
}

function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, child]) => pathsIn(child, `${path}/${pointerSegment(name)}`));
}
