/**
 * Validation of requests: bodies without coercion ("7" is not 7), paths and queries coerced from text. Every violation has
 * a JSON pointer; for an unknown name in a strict object the message suggests the nearest valid one.
 */
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { describeUnknownCountry, isCountryPattern } from '../contract/country.js';
import { pointerSegment, type Issue } from '../errors.js';
import { helpfulViolations } from './violations.js';

const issuesMax = 20;

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(createValidatorCompiler());
}

/** With `body`, bodies are validated against that schema instead of the documented one: for handlers that validate items one by one. */
export function createValidatorCompiler(body?: object): FastifySchemaCompiler<object> {
  const strict = createAjv(false);
  const coercing = createAjv(true);
  return ({ schema, httpPart }) => {
    const validate = httpPart === 'body' ? strict.compile(body ?? schema) : coercing.compile(schema);
    return (value: unknown) =>
      validate(value)
        ? { value }
        : {
            error: Object.assign(new Error('invalid'), {
              validation: helpfulViolations(validate.errors ?? []).slice(0, issuesMax),
            }),
          };
  };
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
  });
  addFormats.default(ajv, { mode: 'full', formats: ['date-time', 'date', 'uri', 'email'] });
  return ajv;
}

/** A violation as Fastify passes it on; `verbose` adds the schema. */
type Violation = Partial<ErrorObject> & { readonly instancePath?: string; readonly keyword?: string };

export function describeViolation(violation: Violation, context: string): Issue {
  const { keyword = '', params = {}, parentSchema } = violation;
  const base = `${context === 'body' ? '' : `/${context}`}${violation.instancePath ?? ''}`;
  const named = params as Readonly<Record<string, unknown>>;
  if (keyword === 'required')
    return { path: `${base}/${pointerSegment(String(named['missingProperty']))}`, message: 'is missing.' };
  if (keyword === 'additionalProperties') {
    const name = String(named['additionalProperty']);
    if (isByCountry(parentSchema))
      return { path: `${base}/${pointerSegment(name)}`, message: describeUnknownCountry(name) };
    const nearest = nearestName(
      name,
      Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {}),
    );
    return {
      path: `${base}/${pointerSegment(name)}`,
      message: `is not a known name${nearest === null ? '' : `; did you mean "${nearest}"?`}`,
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
      message: (parentSchema as { description?: string } | undefined)?.description ?? 'is not taken here.',
    };
  if (keyword === 'format' && named['format'] === 'date-time')
    return { path: base, message: 'must be a time with its zone, such as "2026-06-01T12:00:00Z".' };
  if (keyword === 'propertyNames')
    return { path: `${base}/${pointerSegment(String(named['propertyName']))}`, message: 'is not a valid name here.' };
  return { path: base, message: `${violation.message ?? 'is not valid'}.` };
}

/** The issue of a time that is well-formed but does not exist, such as 23:59:60. */
export const timeIssues = (path: string, time: string | undefined): Issue[] =>
  time !== undefined && Number.isNaN(Date.parse(time)) ? [{ path, message: 'is not a time that a calendar has.' }] : [];

/** Whether the keys of an object are countries. */
function isByCountry(schema: object | undefined): boolean {
  const { patternProperties = {} } = (schema ?? {}) as { patternProperties?: object };
  return Object.keys(patternProperties).some(isCountryPattern);
}

/** The most similar of `names`, or null if none is near. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 2)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance of the first 64 characters; valid names are shorter. */
function editDistance(a: string, b: string): number {
  const [left, right] = [a.slice(0, 64), b.slice(0, 64)];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
