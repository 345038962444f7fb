/**
 * Reads null in an optional field as the field’s absence: many clients write null for what they do not have. Fields that may hold null by their
 * schema keep it, and so does whatever the schema does not name; a needed field that is null stays at fault.
 */

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** What is to be looked at of one value; null where nothing is. */
interface Plan {
  readonly optional: readonly string[];
  readonly inside: readonly (readonly [name: string, plan: Plan])[];
  readonly items: Plan | null;
}

/** Plans once; the answer takes the nulls out of a body in place, and leaves alone what is of another shape than the schema’s. */
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

/** A schema that names no type takes anything. */
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
