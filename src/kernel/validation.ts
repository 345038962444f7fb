/**
 * Validation of requests: bodies without coercion ("7" is not 7), paths and queries coerced from text. Every violation has
 * a JSON pointer; for an unknown name in a strict object the message suggests the nearest valid one.
 */
import { nearestName } from '../nearest-name.js';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { describeUnknownCountry, isCountryPattern } from '../contract/country.js';
import { pointerSegment, type Issue } from '../errors.js';

const issuesMax = 20;

/** Characters of an unknown name that are read and shown. */
export const nameLengthMax = 64;

/** Unknown names of a body that are compared with a missing one, and the length below which two changes make another name. */
const comparedMax = 100;
const shortLength = 5;

/** Ajv’s own optimizer takes as long as the rest of its compiling, and V8 runs what it leaves out as fast. */
const code = { optimize: false } as const;

/** Requests are validated and replies written by functions that the first request to need one compiles: all of them at once are a fifth of a start. */
export function registerSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(createValidatorCompiler());
  app.setSerializerCompiler<object>(({ schema }) => {
    const write = once((): ((reply: unknown) => string) => fastJsonStringify(schema, { ajv: { code } }));
    return (reply) => write()(reply);
  });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** With `body`, bodies are validated against that schema instead of the documented one: for handlers that validate items one by one. */
export function createValidatorCompiler(body?: object): FastifySchemaCompiler<object> {
  const strict = createAjv(false);
  const coercing = createAjv(true);
  return ({ schema, httpPart }) => {
    const compiled = once(() => (httpPart === 'body' ? strict.compile(body ?? schema) : coercing.compile(schema)));
    const lists = httpPart === 'body' ? listsOf(body ?? schema) : [];
    return (value: unknown) => {
      const tooLong = lists.find(({ names, maxItems }) => lengthAt(value, names) > maxItems);
      if (tooLong !== undefined) return invalid([violationOf(tooLong)]);
      const validate = compiled();
      return validate(value) ? { value } : invalid(helpfulViolations(validate.errors ?? []).slice(0, issuesMax));
    };
  };
}

const invalid = (validation: readonly Violation[]) => ({ error: Object.assign(new Error('invalid'), { validation }) });

interface Limited {
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Limited>>;
}

interface LimitedList {
  readonly names: readonly string[];
  readonly maxItems: number;
}

/**
 * Lists of a body that have a limit. They are measured before Ajv looks at each of a million items for its violations. Those inside of items are left to
 * Ajv.
 */
function listsOf({ maxItems, properties = {} }: Limited, names: readonly string[] = []): readonly LimitedList[] {
  const inside = Object.entries(properties).flatMap(([name, schema]) => listsOf(schema, [...names, name]));
  return maxItems === undefined ? inside : [{ names, maxItems }, ...inside];
}

function lengthAt(value: unknown, names: readonly string[]): number {
  const list = names.reduce((at, name) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[name], value);
  return Array.isArray(list) ? list.length : 0;
}

const violationOf = ({ names, maxItems }: LimitedList): Violation => ({
  instancePath: names.map((name) => `/${name}`).join(''),
  keyword: 'maxItems',
  message: `must NOT have more than ${maxItems} items`,
});

const { validate: isWellFormedTime } = fullFormats['date-time'] as { readonly validate: (text: string) => boolean };

/** A check of values that the first of them compiles. */
export function checkerOf<T>(schema: object): () => ValidateFunction<T> {
  return once(() => createAjv(false).compile<T>(schema));
}

/** The only configuration of Ajv: reports every violation with its schema, and knows the formats that our schemas use. */
export function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: coerceTypes,
    strict: false,
    verbose: true,
    validateFormats: true,
    code,
  });
  addFormats.default(ajv, { mode: 'full', formats: ['date-time', 'date', 'uri', 'email'] });
  // Some well-formed times cannot be read, such as 23:59:60 and those with a zone of hours alone.
  ajv.addFormat('date-time', (text) => isWellFormedTime(text) && !Number.isNaN(Date.parse(text)));
  return ajv;
}

/** A violation as Fastify passes it on; `verbose` adds the schema. */
type Violation = Partial<ErrorObject> & { readonly instancePath?: string; readonly keyword?: string };

export function describeViolation(violation: Violation, context: string): Issue {
  const { keyword = '', params = {}, parentSchema } = violation;
  const base = `${context === 'body' ? '' : `/${context}`}${violation.instancePath ?? ''}`;
  const named = params as Readonly<Record<string, unknown>>;
  if (keyword === 'required') {
    const name = String(named['missingProperty']);
    return { path: `${base}/${pointerSegment(name)}`, message: `is missing${describeOther(name, violation)}` };
  }
  if (keyword === 'additionalProperties') {
    const name = String(named['additionalProperty']);
    if (isByCountry(parentSchema))
      return { path: `${base}/${pointerSegment(name)}`, message: describeUnknownCountry(name) };
    const known = Object.keys((parentSchema as Nested | undefined)?.properties ?? {});
    return {
      path: `${base}/${pointerSegment(name)}`,
      message: `is not a known name${suggest(placeOf(name, (parentSchema ?? {}) as Nested) ?? nearestName(name, known))}`,
    };
  }
  if (keyword === 'pattern' && isCountryPattern(named['pattern']))
    return { path: base, message: describeUnknownCountry(String(violation.data)) };
  if (keyword === 'const') return { path: base, message: `must be ${JSON.stringify(named['allowedValue'])}.` };
  if (keyword === 'enum')
    return {
      path: base,
      message: `must be one of ${(named['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}.`,
    };
  // A property that is only declared to be refused: its description names the right one.
  if (keyword === 'not')
    return {
      path: base,
      message: (parentSchema as { description?: string } | undefined)?.description ?? 'isn’t allowed here. Remove it.',
    };
  const isType = keyword === 'type';
  const { format } = (isType ? (parentSchema ?? {}) : named) as { format?: string };
  if ((isType || keyword === 'format') && format === 'date-time')
    return { path: base, message: 'must be a time with a time zone, such as "2026-06-01T12:00:00Z".' };
  if (keyword === 'propertyNames')
    return { path: `${base}/${pointerSegment(String(named['propertyName']))}`, message: 'is not a valid name here.' };
  if (isType) return { path: base, message: `must be ${wordsOf([named['type']].flat().map(String))}.` };
  return { path: base, message: `${violation.message ?? 'is not valid'}.` };
}

interface Nested {
  readonly properties?: Readonly<Record<string, Nested>>;
  readonly anyOf?: readonly Nested[];
}

/** The way to a name that stands further inside a schema, such as config.liteConfig.reviewLow; null: it does not. */
function placeOf(name: string, { properties = {}, anyOf = [] }: Nested): string | null {
  if (Object.hasOwn(properties, name)) return name;
  for (const [outer, inner] of Object.entries(properties)) {
    const place = placeOf(name, inner);
    if (place !== null) return `${outer}.${place}`;
  }
  return anyOf.map((member) => placeOf(name, member)).find((place) => place !== null) ?? null;
}

/** The end of a sentence on a missing name: the unknown one that was sent and is spelled nearly like it. */
function describeOther(missing: string, { data, parentSchema }: Violation): string {
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object };
  const sent = Object.keys(data ?? {})
    .filter((name) => !(name in properties))
    .slice(0, comparedMax);
  const letters = sent.map(lettersOf);
  const nearest = nearestName(lettersOf(missing), letters, missing.length < shortLength ? 0 : 2);
  return nearest === null ? '.' : `; did you send it as "${sent[letters.indexOf(nearest)]?.slice(0, nameLengthMax)}"?`;
}

/** A name without case and separators. Names longer than any of ours are cut, so that they are none of them. */
export const lettersOf = (name: string): string => name.slice(0, nameLengthMax).replace(/[-_ ]/g, '').toLowerCase();

const typeWords: Readonly<Record<string, readonly string[]>> = {
  ...{ boolean: ['true', 'false'], integer: ['a whole number'], number: ['a number'] },
  ...{ string: ['a string'], object: ['an object'], array: ['a list'] },
};

/** Types as a caller can send them: true, false or null. */
function wordsOf(types: readonly string[]): string {
  const words = types.flatMap((type) => typeWords[type] ?? [type]);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Whether the keys of an object are countries. */
function isByCountry(schema: object | undefined): boolean {
  const { patternProperties = {} } = (schema ?? {}) as { patternProperties?: object };
  return Object.keys(patternProperties).some(isCountryPattern);
}

/** The end of a sentence that found a name unknown. */
export const suggest = (nearest: string | null): string => (nearest === null ? '.' : `; did you mean "${nearest}"?`);

/** An issue for each of a list of values that is not among the known ones. */
export function unknownValues(
  values: readonly string[],
  known: readonly string[],
  { path, what }: { readonly path: string; readonly what: string },
): Issue[] {
  return values.flatMap((value, index) =>
    known.includes(value)
      ? []
      : [{ path: `${path}/${index}`, message: `is not ${what}${suggest(nearestName(value, known))}` }],
  );
}

/**
 * Selects the violations that help a caller, in the order of Ajv. For `anyOf`, Ajv reports the violations of every member and one of the choice
 * itself; this keeps those of the member that was most likely meant, or one violation that lists all types.
 */
export function helpfulViolations(violations: readonly ErrorObject[]): ErrorObject[] {
  // Inner choices first, so that an outer one sees their result.
  const choices = violations
    .filter(({ keyword }) => keyword === 'anyOf')
    .sort((one, other) => other.schemaPath.length - one.schemaPath.length);
  let left = violations.filter(({ keyword }) => keyword !== 'if');
  for (const choice of choices) left = settle(left, choice);
  return left;
}

function settle(violations: readonly ErrorObject[], choice: ErrorObject): ErrorObject[] {
  const members = violations.filter((each) => each !== choice && isInside(each, choice));
  const kept = membersToKeep(members, choice);
  const first = violations.findIndex((each) => each === choice || members.includes(each));
  const others = (part: readonly ErrorObject[]) => part.filter((each) => each !== choice && !members.includes(each));
  return [...others(violations.slice(0, first)), ...kept, ...others(violations.slice(first))];
}

function membersToKeep(members: readonly ErrorObject[], choice: ErrorObject): readonly ErrorObject[] {
  const kinds = new Map<string, ErrorObject[]>();
  for (const member of members) {
    const kind = member.schemaPath.slice(choice.schemaPath.length + 1).split('/', 1)[0] ?? '';
    kinds.set(kind, [...(kinds.get(kind) ?? []), member]);
  }
  const all = [...kinds.values()];
  if (all.length === 0) return [choice];
  const meant = all.filter((kind) => !kind.some((each) => each.keyword === 'type' && isAt(each, choice)));
  if (meant.length === 0) {
    const types = all.flat().flatMap(({ keyword, params }) => (keyword === 'type' ? [String(params['type'])] : []));
    const type = [...new Set(types)];
    return [{ ...choice, keyword: 'type', params: { type }, message: `must be ${type.join(' or ')}` }];
  }
  // In a discriminated union the member whose discriminator matches, else the one with the fewest violations.
  return meant.reduce((best, kind) => (distanceOf(kind) < distanceOf(best) ? kind : best));
}

function distanceOf(kind: readonly ErrorObject[]): number {
  const misnamed = kind.filter(({ keyword }) => keyword === 'const' || keyword === 'enum').length;
  return misnamed * 1_000 + kind.length;
}

function isInside({ schemaPath, instancePath }: ErrorObject, choice: ErrorObject): boolean {
  const isBelow = instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`);
  return isBelow && schemaPath.startsWith(`${choice.schemaPath}/`);
}

function isAt({ instancePath }: ErrorObject, choice: ErrorObject): boolean {
  return instancePath === choice.instancePath;
}
