/** A project’s settings as fields of a form: names, ranges and descriptions are those of the API’s own description. */
import { readable } from './parts/words.js';

export type Value = string | number | boolean | readonly string[] | null;

export interface Field {
  readonly path: readonly string[];
  readonly description: string;
  /** `other` is shown and not edited. */
  readonly kind: 'switch' | 'choice' | 'number' | 'text' | 'lines' | 'other';
  readonly choices: readonly string[];
  readonly range: Pick<Schema, 'minimum' | 'maximum'>;
  readonly isWhole: boolean;
}

export interface Group {
  readonly title: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly (string | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

export interface ApiDescription {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const titles: Readonly<Record<string, string>> = { '': 'Project', config: 'Verification', liteConfig: 'Scoring' };

/** `maxRetries` reads "Max retries". */
export const nameOf = (property: string): string =>
  readable(property.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));

/** The settings that a change may name, in groups. Read-only fields and other names of the same setting are left out. */
export function groupsOf({ components: { schemas } }: ApiDescription): readonly Group[] {
  const groups: Group[] = [];
  const resolve = (schema: Schema): Schema => {
    const { anyOf, $ref, ...own } = schema;
    const named =
      anyOf?.find(({ type }) => type !== 'null') ?? ($ref === undefined ? null : schemas[$ref.split('/').at(-1) ?? '']);
    return named === null || named === undefined ? schema : { ...resolve(named), ...own };
  };
  const collect = (schema: Schema, path: readonly string[]): void => {
    const entries = Object.entries(schema.properties ?? {}).map(
      ([name, each]) => [[...path, name], resolve(each)] as const,
    );
    const fields = entries.flatMap(([at, each]) => (each.properties === undefined ? fieldOf(at, each) : []));
    const name = path.at(-1) ?? '';
    if (fields.length > 0)
      groups.push({ title: titles[name] ?? nameOf(name), description: schema.description ?? '', fields });
    for (const [at, each] of entries) if (each.properties !== undefined) collect(each, at);
  };
  collect(resolve({ $ref: 'ProjectPatch' }), []);
  return groups;
}

/** Groups with the fields whose name, path or description has every word of the search. */
export function searchGroups(groups: readonly Group[], search: string): readonly Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ path, description }: Field): boolean => {
    const text = `${nameOf(path.at(-1) ?? '')} ${path.join('.')} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = groups.map((group) => ({ ...group, fields: group.fields.filter(matches) }));
  return found.filter(({ fields }) => fields.length > 0);
}

const otherNames = new Set(['allowedOrigins']);

function fieldOf(path: readonly string[], schema: Schema): readonly Field[] {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // A read-only field takes back whatever was read.
  if (types.length !== 1 || otherNames.has(path.at(-1) ?? '')) return [];
  const { minimum, maximum } = schema;
  return [
    {
      path,
      description: schema.description ?? '',
      kind: kindOf(types[0] ?? '', schema),
      choices: (schema.enum ?? []).filter((each) => each !== null),
      range: { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) },
      isWhole: types[0] === 'integer',
    },
  ];
}

function kindOf(type: string, { enum: choices, items }: Schema): Field['kind'] {
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return choices === undefined ? 'text' : 'choice';
  return type === 'array' && items?.type === 'string' ? 'lines' : 'other';
}

/** The value of a setting in a project as it was read; null: not set. */
export function valueAt(project: unknown, path: readonly string[]): unknown {
  let value = project;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return value ?? null;
}

/** A merge patch of the changes, by their paths. */
export function patchOf(changes: ReadonlyMap<Field, Value>): Readonly<Record<string, unknown>> {
  const patch: Record<string, unknown> = {};
  for (const [{ path }, value] of changes) {
    let inner = patch;
    for (const name of path.slice(0, -1)) inner = (inner[name] ??= {}) as Record<string, unknown>;
    inner[path.at(-1) ?? ''] = value;
  }
  return patch;
}
