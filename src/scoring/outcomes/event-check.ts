/**
 * Looks at one outcome event: whether it is well formed, dated possibly, and of a project that the key may speak for. Each is judged
 * by itself; what is wrong is told by its pointer, and the event is then not stored.
 */
import { OutcomeEvent, retractionName } from '../../contract/outcome.js';
import type { Issue } from '../../errors.js';
import type { KeyCaller } from '../../http/access.js';
import { createNullRemover } from '../../http/absent-nulls.js';
import { findUnstorable } from '../../http/storable-text.js';
import { createAjv, describeViolation } from '../../http/validation.js';
import { helpfulViolations } from '../../http/violations.js';
import { unknownNamesOf, type UnknownName } from '../request-notes.js';
import { outcomeAheadHoursMax } from '../../limits.js';

export interface EventCheckDeps {
  readonly now: () => number;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
}

/** Checks the events of one call, in one go; `pathOf` tells the pointer of each. */
export type EventCheck = (
  caller: KeyCaller,
  events: readonly unknown[],
  pathOf: (index: number) => string,
) => Promise<readonly CheckedEvent[]>;

/** `event` is null where there are issues. */
export interface CheckedEvent {
  readonly event: OutcomeEvent | null;
  readonly issues: readonly Issue[];
  /** Names of an event that was taken which mean nothing: what they were to say is not in it. */
  readonly unknown: readonly UnknownName[];
}

const names = Object.keys(OutcomeEvent.properties);

export function createEventCheck({ now, findProjectOwner }: EventCheckDeps): EventCheck {
  const removeNulls = createNullRemover(OutcomeEvent);
  const isEvent = createAjv(false).compile<OutcomeEvent>(OutcomeEvent);
  const aheadMsMax = outcomeAheadHoursMax * 3_600_000;

  const timeIssues = ({ occurredAt, detail }: OutcomeEvent): Issue[] => {
    const notATime = 'is not a time that a calendar has.';
    const issues: Issue[] = [];
    const at = Date.parse(occurredAt);
    if (Number.isNaN(at)) issues.push({ path: '/occurredAt', message: notATime });
    if (at > now() + aheadMsMax)
      issues.push({
        path: '/occurredAt',
        message: `lies more than ${outcomeAheadHoursMax} hours ahead; it is when the outcome happened.`,
      });
    const taken = detail?.name === retractionName ? detail.of : undefined;
    if (taken === undefined) return issues;
    const takenAt = Date.parse(taken.occurredAt);
    if (Number.isNaN(takenAt)) issues.push({ path: '/detail/of/occurredAt', message: notATime });
    if (taken.type === 'custom' && takenAt >= at)
      issues.push({ path: '/occurredAt', message: 'must be later than the retraction that is taken back.' });
    return issues;
  };

  const checkShape = (event: unknown): OutcomeEvent | readonly Issue[] => {
    removeNulls(event);
    if (!isEvent(event))
      return helpfulViolations(isEvent.errors ?? []).map((violation) => describeViolation(violation, 'body'));
    const unstorable = findUnstorable(event, '');
    return unstorable === null ? event : [unstorable];
  };

  return async (caller, events, pathOf) => {
    const shaped = events.map(checkShape);
    const owners = await findOwners(caller, shaped);
    return shaped.map((event, index): CheckedEvent => {
      const at = pathOf(index);
      const issues = isIssues(event) ? event : [...timeIssues(event), ...projectIssues(caller, event, owners)];
      if (!isIssues(event) && issues.length === 0) return { event, issues, unknown: unknownNamesOf(event, names, at) };
      return {
        event: null,
        issues: issues.map(({ path, message }) => ({ path: `${at}${path}`, message })),
        unknown: [],
      };
    });
  };

  /** Of the projects that events of an organization key name, each looked up once. */
  async function findOwners(
    caller: KeyCaller,
    shaped: readonly (OutcomeEvent | readonly Issue[])[],
  ): Promise<ReadonlyMap<string, string | null>> {
    if (caller.projectId !== null) return new Map();
    const named = new Set(shaped.flatMap((event) => (isIssues(event) ? [] : (event.projectId ?? []))));
    return new Map(await Promise.all([...named].map(async (id) => [id, await findProjectOwner(id)] as const)));
  }
}

const isIssues = (shaped: OutcomeEvent | readonly Issue[]): shaped is readonly Issue[] => Array.isArray(shaped);

/** An organization key resolves to no project: the event says whose session it means. */
function projectIssues(
  caller: KeyCaller,
  { projectId }: OutcomeEvent,
  owners: ReadonlyMap<string, string | null>,
): readonly Issue[] {
  const issue = (message: string): readonly Issue[] => [{ path: '/projectId', message }];
  if (caller.projectId !== null)
    return projectId === undefined || projectId === caller.projectId
      ? []
      : issue('is not the project of this key; leave it out.');
  if (projectId === undefined)
    return issue('is needed with an organization key: the project whose key scored the session.');
  return owners.get(projectId) === caller.organizationId ? [] : issue('is no project of this organization.');
}
