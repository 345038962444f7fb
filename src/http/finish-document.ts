/** The last pass over the generated API document: shares shapes, parameters and error replies, describes tags, and marks optional bodies. Pure. */
import { STATUS_CODES } from 'node:http';
import { tagDescriptions } from '../contract/tags.js';

interface Operation {
  readonly tags?: readonly string[];
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
}

export function finishDocument<const T extends object>(document: T): T {
  const finished = shareParts(nameShapes(document)) as T & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const operations = Object.values(finished.paths).flatMap((methods) => Object.values(methods));
  for (const { requestBody } of operations) {
    if (requestBody !== undefined) requestBody.required = !Object.values(requestBody.content).some(takesNull);
  }
  const used = new Set(operations.flatMap(({ tags }) => tags ?? []));
  const tags = Object.entries(tagDescriptions)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  return { ...finished, tags };
}

/** A route gets a missing body as null. */
function takesNull({ schema }: { readonly schema?: object }): boolean {
  const { anyOf = [] } = (schema ?? {}) as { readonly anyOf?: readonly { readonly type?: string }[] };
  return anyOf.some(({ type }) => type === 'null');
}

/** Replaces schemas by references to the shapes of the same structure. Annotations that differ (description, example, ...) stay. */
type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** Keywords that describe a value and do not limit it. */
const annotations = new Set(['description', 'title', 'default', 'deprecated', 'example', 'examples']);

/** Keywords that hold values instead of schemas. */
const values = new Set(['example', 'examples', 'default', 'enum', 'const']);

interface Naming {
  /** Name of a shape by its structure. */
  readonly names: ReadonlyMap<string, string>;
  readonly shapes: JsonObject;
}

/** Returns a copy. If two shapes have the same structure, the first is referenced. */
export function nameShapes(document: object): object {
  const { components, ...rest } = structuredClone(document) as JsonObject;
  const shapes = ((components as JsonObject | undefined)?.['schemas'] ?? {}) as JsonObject;
  const names = new Map<string, string>();
  for (const [name, shape] of Object.entries(shapes)) {
    const structure = structureOf(shape);
    if (!names.has(structure)) names.set(structure, name);
  }
  const naming = { names, shapes };
  return {
    ...mapValues(rest, (part) => nameBelow(part, naming)),
    components: {
      ...(components as JsonObject),
      schemas: mapValues(shapes, (shape) => nameBelow(shape, naming)),
    },
  };
}

function nameWithin(value: Json, naming: Naming): Json {
  if (!isObject(value)) return nameBelow(value, naming);
  const name = naming.names.get(structureOf(value));
  if (name !== undefined) return referenceTo(name, value, naming);
  const present = withoutNull(value);
  const nameOfPresent = present === null ? undefined : naming.names.get(structureOf(present));
  return present === null || nameOfPresent === undefined
    ? nameBelow(value, naming)
    : { anyOf: [referenceTo(nameOfPresent, present, naming), { type: 'null' }] };
}

/** The schema without null as its type; null unless null was one of two types. */
function withoutNull(schema: JsonObject): JsonObject | null {
  const { type } = schema;
  if (!Array.isArray(type) || type.length !== 2 || !type.includes('null')) return null;
  return { ...schema, type: (type as readonly string[]).find((name) => name !== 'null') ?? null };
}

function nameBelow(value: Json, naming: Naming): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => nameWithin(item, naming));
  if (!isObject(value)) return value;
  return mapValues(value, (member, key) => {
    if (values.has(key)) return member;
    const named = nameWithin(member, naming);
    // Replies, bodies and parameters have a description themselves.
    return key === 'schema' && isObject(named) && '$ref' in named ? withoutDescription(named) : named;
  });
}

function withoutDescription(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'description'));
}

function referenceTo(name: string, schema: JsonObject, { shapes }: Naming): JsonObject {
  const shape = shapes[name] as JsonObject;
  const own = Object.entries(schema).filter(
    ([key, value]) => annotations.has(key) && JSON.stringify(value) !== JSON.stringify(shape[key]),
  );
  return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(own) };
}

/** The schema as JSON, sorted and without annotations at the top. */
function structureOf(schema: Json): string {
  return isObject(schema) ? textOf(schema, (key) => !annotations.has(key)) : sortedText(schema);
}

/** Texts of objects, which lie within each other: without this, each would be written once for every object around it. */
const texts = new WeakMap<object, string>();

function sortedText(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(sortedText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const text = texts.get(value) ?? textOf(value, () => true);
  texts.set(value, text);
  return text;
}

function textOf(object: JsonObject, isKept: (key: string) => boolean): string {
  const members = Object.entries(object)
    .filter(([key, value]) => value !== undefined && isKept(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${JSON.stringify(key)}:${sortedText(value)}`);
  return `{${members.join()}}`;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

type Shared = Record<string, object>;
interface Parameter {
  readonly name: string;
}
interface Document {
  readonly components?: Readonly<Record<string, unknown>>;
  readonly paths?: Readonly<Record<string, Readonly<Record<string, SharingOperation>>>>;
}
interface SharingOperation {
  parameters?: readonly object[];
  responses?: Shared;
}

/** Moves parts that operations repeat (error replies and parameters) to one place. Returns a copy. */
export function shareParts<const T extends object>(document: T): T {
  const copy = structuredClone(document) as Document;
  const operations = Object.values(copy.paths ?? {}).flatMap((methods) => Object.values(methods));
  const parameters = findRepeated(operations.flatMap((operation) => (operation.parameters ?? []) as Parameter[]));
  const responses: Shared = {};
  for (const operation of operations) {
    operation.parameters &&= operation.parameters.map((parameter) =>
      shareParameter(parameters, parameter as Parameter),
    );
    operation.responses &&= Object.fromEntries(
      Object.entries(operation.responses).map(([status, reply]) => [status, shareReply(responses, status, reply)]),
    );
  }
  return { ...copy, components: { ...copy.components, responses, parameters } } as unknown as T;
}

/** By name, the first parameter of each name that comes twice or more. */
function findRepeated(parameters: readonly Parameter[]): Shared {
  const texts = parameters.map((parameter) => JSON.stringify(parameter));
  const repeated = parameters.filter((_, index) => texts.indexOf(texts[index] ?? '', index + 1) > index);
  return Object.fromEntries(repeated.reverse().map((parameter) => [parameter.name, parameter]));
}

function shareParameter(shared: Shared, parameter: Parameter): object {
  return JSON.stringify(shared[parameter.name]) === JSON.stringify(parameter)
    ? { $ref: `#/components/parameters/${parameter.name}` }
    : parameter;
}

function shareReply(shared: Shared, status: string, reply: object): object {
  const words = STATUS_CODES[status];
  if (Number(status) < 400 || words === undefined) return reply;
  const name = words.replaceAll(/[^A-Za-z]/g, '');
  const first = (shared[name] ??= reply);
  return JSON.stringify(first) === JSON.stringify(reply) ? { $ref: `#/components/responses/${name}` } : reply;
}
