/**
 * Values for a JSON schema as the contract writes them, for fuzzing: `fitting` ones that the schema mostly takes, and `wild` ones that keep
 * its shape and nothing else. What a schema cannot say (which addresses, which keys) is named by property.
 */
import fc from 'fast-check';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface AnyOfOptions {
  /** Values of a property, wherever it stands; a property of an inner object as `outer.inner`. */
  readonly named: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly wild: boolean;
}

/** Names that every object has without anybody having put them there. */
export const inheritedNames = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];

/** One more character than is looked at, and one more than a probe may have bytes. */
const longTexts = ['x'.repeat(1_025), 'x'.repeat(16_385), '界'.repeat(1_025)];
const oddTexts = ['', ' ', 'null', '0', '-1', "'; --", '%00', '../..', '\u0000', '\ud800', '😀', 'ⅷ', '\u202e'];
const edgeNumbers = [0, -0, 1, -1, 0.5, 1e-7, 255, 256, 2 ** 31, 2 ** 53 - 1, 1e21, -1e308, 1.7976931348623157e308];

export function anyOf(schema: object, options: AnyOfOptions, path = ''): fc.Arbitrary<unknown> {
  return draw(schema, options, path);
}

function draw(schema: Schema, options: AnyOfOptions, path: string): fc.Arbitrary<unknown> {
  const named = options.named[path];
  if (named !== undefined) return named;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => draw(each, options, path)));
  switch (schema.type) {
    case 'object':
      return drawObject(schema, options, path);
    case 'array':
      return fc.array(draw(schema.items ?? {}, options, path), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 8, (schema.minItems ?? 0) + 8) + (options.wild ? 1 : 0),
      });
    case 'string':
      return drawText(schema, options);
    case 'integer':
    case 'number':
      return drawNumber(schema, options);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Optional fields come, stay away or are null; strangers come under the names that every object has. */
function drawObject(schema: Schema, options: AnyOfOptions, path: string): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  const fields = names.map((name) => {
    const value = draw(schema.properties?.[name] ?? {}, options, path === '' ? name : `${path}.${name}`);
    const isRequired = schema.required?.includes(name) === true;
    const absent = fc.constant(undefined);
    if (isRequired && !options.wild) return value;
    if (isRequired) return fc.oneof({ arbitrary: value, weight: 30 }, { arbitrary: absent, weight: 1 });
    return fc.oneof(
      { arbitrary: value, weight: 4 },
      { arbitrary: absent, weight: 3 },
      ...(options.wild ? [{ arbitrary: fc.constantFrom<unknown>(null, '', 0, [], {}), weight: 1 }] : []),
    );
  });
  const strangers = fc.array(fc.tuple(fc.constantFrom(...inheritedNames), fc.jsonValue({ maxDepth: 1 })), {
    maxLength: 2,
  });
  return fc.tuple(fc.tuple(...fields), strangers).map(([values, others]) =>
    // A parser of JSON does the same: a name like __proto__ is an own property.
    Object.fromEntries([
      ...(path === '' || options.wild ? others : []),
      ...names.map((name, i) => [name, values[i]] as const).filter(([, value]) => value !== undefined),
    ]),
  );
}

function drawText({ minLength = 0, maxLength, format }: Schema, { wild }: AnyOfOptions): fc.Arbitrary<string> {
  const anyText = fc.oneof(
    fc.constantFrom(...inheritedNames, ...inheritedNames.map((name) => `${name}.x`)),
    fc.constantFrom(...longTexts, ...oddTexts),
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  if (wild) return anyText;
  if (format === 'date-time')
    return fc
      .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString());
  const storable = anyText.map((text) => text.replace(/[\u0000\p{Surrogate}]/gu, ''));
  return storable.map((text) => cut(text, maxLength).padEnd(minLength, '.'));
}

function cut(text: string, lengthMax = Infinity): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/u, '');
}

function drawNumber({ type, minimum, maximum }: Schema, { wild }: AnyOfOptions): fc.Arbitrary<number> {
  if (wild) return fc.oneof(fc.constantFrom(...edgeNumbers), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const low = minimum ?? -1e12;
  const high = maximum ?? 1e12;
  const inside = edgeNumbers.filter(
    (edge) => edge >= low && edge <= high && (type === 'number' || Number.isInteger(edge)),
  );
  const between =
    type === 'integer'
      ? fc.integer({ min: low, max: Math.min(high, 2 ** 53 - 1) })
      : fc.double({ min: low, max: high, noNaN: true });
  return fc.oneof(fc.constantFrom(low, high, ...inside), between);
}
