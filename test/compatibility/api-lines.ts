/**
 * Lists what callers of an API rely on, a line for each operation, parameter, field and value of a choice: an API only grows if no line of an earlier
 * version is missing. Texts and examples are left out.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [limit: string]: unknown;
}

interface Content {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly $ref?: string;
}

interface Operation {
  readonly parameters?: readonly { name?: string; in?: string; required?: boolean; schema?: Schema; $ref?: string }[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface ApiDocument {
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Content>>;
    readonly parameters?: Readonly<Record<string, NonNullable<Operation['parameters']>[number]>>;
  };
}

const limits = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

export function linesOf(documents: readonly ApiDocument[]): string[] {
  const lines = new Set<string>();
  for (const { paths, webhooks = {}, components } of documents) {
    for (const [path, operations] of [...Object.entries(paths), ...Object.entries(webhooks)])
      for (const [method, operation] of Object.entries(operations)) {
        const name = `${method.toUpperCase()} ${path}`;
        lines.add(name);
        for (const parameter of operation.parameters ?? []) addParameter(lines, name, parameter);
        addContent(lines, `${name} request`, operation.requestBody);
        for (const [status, reply] of Object.entries(operation.responses ?? {}))
          addContent(lines, `${name} ${status}`, reply);
      }
    for (const [name, schema] of Object.entries(components.schemas)) addSchema(lines, name, schema, '');
    for (const [name, reply] of Object.entries(components.responses ?? {}))
      addContent(lines, `response ${name}`, reply);
    for (const parameter of Object.values(components.parameters ?? {})) addParameter(lines, 'parameter', parameter);
  }
  return [...lines].sort();
}

function addParameter(lines: Set<string>, at: string, parameter: NonNullable<Operation['parameters']>[number]): void {
  const { name, in: place, required = false, schema = {}, $ref } = parameter;
  if ($ref !== undefined) lines.add(`${at} ${nameIn($ref)}`);
  else addSchema(lines, `${at} ${place} ${name}`, schema, required ? ', required' : '');
}

function addContent(lines: Set<string>, at: string, content: Content | undefined): void {
  if (content === undefined) return;
  lines.add(
    `${at}${content.required === true ? ', required' : ''}${content.$ref === undefined ? '' : `: ${nameIn(content.$ref)}`}`,
  );
  for (const header of Object.keys(content.headers ?? {})) lines.add(`${at} header ${header}`);
  for (const [type, { schema }] of Object.entries(content.content ?? {}))
    addSchema(lines, `${at} ${type}`, schema ?? {}, '');
}

/** `presence`: whether the field has to be there. */
function addSchema(lines: Set<string>, at: string, schema: Schema, presence: string): void {
  lines.add(`${at}: ${typeOf(schema)}${presence}`);
  for (const value of schema.enum ?? []) lines.add(`${at} = ${JSON.stringify(value)}`);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    addSchema(lines, `${at}.${name}`, property, schema.required?.includes(name) === true ? ', required' : '');
  if (schema.items !== undefined) addSchema(lines, `${at}[]`, schema.items, '');
  if (typeof schema.additionalProperties === 'object') addSchema(lines, `${at}.*`, schema.additionalProperties, '');
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    addSchema(lines, `${at}|`, part, '');
}

function typeOf(schema: Schema): string {
  const { $ref, type, additionalProperties } = schema;
  if ($ref !== undefined) return nameIn($ref);
  const types = type === undefined ? [] : [type].flat().toSorted();
  const given = limits
    .filter((limit) => schema[limit] !== undefined)
    .map((limit) => `${limit} ${String(schema[limit])}`);
  const value = 'const' in schema ? [JSON.stringify(schema.const)] : [];
  return [types.join(' or ') || 'any', ...value, ...given, ...(additionalProperties === false ? ['closed'] : [])].join(
    ', ',
  );
}

const nameIn = (ref: string): string => ref.replace(/.*\//, '');
