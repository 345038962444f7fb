/**
 * Checks every JSON body for faults that its schema cannot describe: nulls of optional fields, depth, and text that a database cannot store.
 */
import { pointerSegment, type Issue } from '../errors.js';
import { metadataBytesMax, metadataDepthMax, type Metadata } from '../contract/session.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** The fields of one value to check. */
interface Plan {
  readonly optional: readonly string[];
  readonly inside: readonly (readonly [name: string, plan: Plan])[];
  readonly items: Plan | null;
}

/**
 * Removes null from optional fields, because many clients send null for a missing value. Fields whose schema allows null keep it, and so do
 * unknown fields; null in a required field stays a violation. Reads the schema once. The result removes nulls from a body in place and ignores values
 * that do not match the schema.
 */
export function createNullRemover(schema: object): (body: unknown) => void {
  const plan = planOf(schema);
  return (body) => {
    if (plan !== null) remove(body, plan);
  };
}

function planOf(schema: Schema): Plan | null {
  const parts = schema.anyOf ?? [schema];
  const optional: string[] = [];
  const inside: [string, Plan][] = [];
  let items: Plan | null = null;
  for (const { properties = {}, required = [], items: each } of parts) {
    for (const [name, property] of Object.entries(properties)) {
      if (!required.includes(name) && !takesNull(property)) optional.push(name);
      const plan = planOf(property);
      if (plan !== null) inside.push([name, plan]);
    }
    if (each !== undefined) items = planOf(each);
  }
  return optional.length === 0 && inside.length === 0 && items === null ? null : { optional, inside, items };
}

/** A schema without a type allows anything. */
function takesNull({ type, anyOf, enum: values, const: value }: Schema): boolean {
  if (anyOf !== undefined) return anyOf.some(takesNull);
  if (values !== undefined) return values.includes(null);
  if (value !== undefined) return value === null;
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

function remove(value: unknown, plan: Plan): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (plan.items !== null) for (const item of value) remove(item, plan.items);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const name of plan.optional) if (fields[name] === null && Object.hasOwn(fields, name)) delete fields[name];
  for (const [name, inner] of plan.inside) if (Object.hasOwn(fields, name)) remove(fields[name], inner);
}

/** Whether a parsed body has more than `levels` levels. Recurses no deeper than that. */
export function isDeeper(body: unknown, levels: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(body)) return body.some((item) => isDeeper(item, levels - 1));
  for (const name in body) if (isDeeper((body as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

/** Whether an object has both names by which msgpackr takes it for an instance, whose `toJSON` it calls. Recurses as deep as the body. */
export function claimsToJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (Array.isArray(body)) return body.some(claimsToJson);
  if (Object.hasOwn(body, 'constructor') && Object.hasOwn(body, 'toJSON')) return true;
  for (const name in body) if (claimsToJson((body as Record<string, unknown>)[name])) return true;
  return false;
}

/** NUL characters and unpaired surrogates, which a database cannot store. */
const unstorable = /[\u0000\p{Surrogate}]/u;

/** The text with a replacement character for each unpaired surrogate, also one that truncation left. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** The first string or name that cannot be stored, as a JSON pointer. */
export function findUnstorable(value: unknown, path: string): Issue | null {
  if (typeof value === 'string')
    return unstorable.test(value)
      ? { path, message: 'contains a NUL character or half of a surrogate pair. Remove it.' }
      : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const at = `${path}/${pointerSegment(name)}`;
    const issue =
      (unstorable.test(name) ? { path: at, message: 'is not allowed as a name. Rename it.' } : null) ??
      findUnstorable(child, at);
    if (issue !== null) return issue;
  }
  return null;
}

export function findMetadataIssue(metadata: Metadata): Issue | null {
  const path = '/metadata';
  // The depth first: what is nested too deeply to be walked is not written as JSON either.
  if (isDeeper(metadata, metadataDepthMax))
    return { path, message: `has more than ${metadataDepthMax} levels of nesting. Send fewer.` };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > metadataBytesMax
    ? { path, message: `has ${bytes} bytes of JSON. Send at most ${metadataBytesMax}.` }
    : null;
}
