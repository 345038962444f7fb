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

/** `event` is null where there are issues. */
export interface CheckedEvent {
  readonly event: OutcomeEvent | null;
  readonly issues: readonly Issue[];
  /** Names of an event that was taken which mean nothing: what they were to say is not in it. */
  readonly unknown: readonly UnknownName[];
}

const names = Object.keys(OutcomeEvent.properties);

export function createEventCheck({ now, findProjectOwner }: EventCheckDeps) {
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

  /** An organization key resolves to no project: the event says whose session it means. */
  const projectIssues = async (caller: KeyCaller, { projectId }: OutcomeEvent): Promise<readonly Issue[]> => {
    const issue = (message: string): readonly Issue[] => [{ path: '/projectId', message }];
    if (caller.projectId !== null)
      return projectId === undefined || projectId === caller.projectId
        ? []
        : issue('is not the project of this key; leave it out.');
    if (projectId === undefined)
      return issue('is needed with an organization key: the project whose key scored the session.');
    const owner = await findProjectOwner(projectId);
    return owner === caller.organizationId ? [] : issue('is no project of this organization.');
  };

  return async (caller: KeyCaller, event: unknown, at: string): Promise<CheckedEvent> => {
    const told = (issues: readonly Issue[]): CheckedEvent => ({
      event: null,
      issues: issues.map(({ path, message }) => ({ path: `${at}${path}`, message })),
      unknown: [],
    });
    removeNulls(event);
    if (!isEvent(event)) {
      return told(helpfulViolations(isEvent.errors ?? []).map((violation) => describeViolation(violation, 'body')));
    }
    const unstorable = findUnstorable(event, '');
    if (unstorable !== null) return told([unstorable]);
    const issues = [...timeIssues(event), ...(await projectIssues(caller, event))];
    return issues.length === 0 ? { event, issues, unknown: unknownNamesOf(event, names, at) } : told(issues);
  };
}
