/**
 * Replaces schemas in an API document by references to the shapes under `components.schemas` that have the same structure.
 * Annotations that differ (description, example, ...) stay with the reference. Pure: validation keeps the schemas of the routes.
 */
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
  return JSON.stringify(schema, (_key, value: Json) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => value !== schema || !annotations.has(key))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value,
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
