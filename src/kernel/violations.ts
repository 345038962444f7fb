/**
 * Selects the violations that help a caller. For `anyOf`, Ajv reports the violations of every member and one of the choice itself; this keeps
 * those of the member that was most likely meant, or one violation that lists all types.
 */
import type { ErrorObject } from 'ajv';

/** In the order of Ajv. */
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
    return [{ ...choice, keyword: 'type', message: `must be ${[...new Set(types)].join(' or ')}` }];
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
