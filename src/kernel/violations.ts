/**
 * Of the violations that the validator lists, those that help: where a value may be of several kinds, it tells of each kind that it is not, and once
 * more that it is none of them. Left is what is wrong with the kind that was meant, or one line with all kinds.
 */
import type { ErrorObject } from 'ajv';

/** In the order of the validator. */
export function helpfulViolations(violations: readonly ErrorObject[]): ErrorObject[] {
  // An inner choice first, so that an outer one sees what is left of it.
  const choices = violations
    .filter(({ keyword }) => keyword === 'anyOf')
    .sort((one, other) => other.schemaPath.length - one.schemaPath.length);
  let left = violations.filter(({ keyword }) => keyword !== 'if');
  for (const choice of choices) left = settle(left, choice);
  return left;
}

function settle(violations: readonly ErrorObject[], choice: ErrorObject): ErrorObject[] {
  const members = violations.filter((each) => each !== choice && isInside(each, choice));
  const told = membersToTell(members, choice);
  const first = violations.findIndex((each) => each === choice || members.includes(each));
  const others = (part: readonly ErrorObject[]) => part.filter((each) => each !== choice && !members.includes(each));
  return [...others(violations.slice(0, first)), ...told, ...others(violations.slice(first))];
}

function membersToTell(members: readonly ErrorObject[], choice: ErrorObject): readonly ErrorObject[] {
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
  // Kinds that a field’s value tells apart: the one whose value it is, else the nearest.
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
