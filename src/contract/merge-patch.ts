/** The merge-patch form (RFC 7396) of a JSON Schema: nothing is required, and null goes back to the default. */
import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';

/** Its values. A list is replaced as a whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Name in keyof T]?: MergePatch<T[Name]> | null }
    : T;

export function mergePatchOf<T extends TSchema>(schema: T): TUnsafe<MergePatch<Static<T>>> {
  const { required: _required, ...rest } = schema as Record<string, unknown>;
  return Type.Unsafe<MergePatch<Static<T>>>(nullableValues(rest));
}

function nullableValues(schema: Record<string, unknown>): Record<string, unknown> {
  const mapped: Record<string, unknown> = { ...schema };
  for (const holder of ['properties', 'patternProperties']) {
    const children = schema[holder] as Record<string, Record<string, unknown>> | undefined;
    if (children !== undefined)
      mapped[holder] = Object.fromEntries(Object.entries(children).map(([name, child]) => [name, nullable(child)]));
  }
  if (typeof schema['additionalProperties'] === 'object')
    mapped['additionalProperties'] = nullable(schema['additionalProperties'] as Record<string, unknown>);
  return mapped;
}

function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { required: _required, ...inner } = nullableValues(schema);
  const enumeration = Array.isArray(inner['enum']) ? { enum: [...(inner['enum'] as unknown[]), null] } : {};
  return { ...inner, type: [...new Set([inner['type'], 'null'].flat())], ...enumeration };
}
