/**
 * Checks each outcome event by itself: its form, its date, and its project. An event with issues, named by JSON pointer, is not stored.
 */
import type { DataOwner } from '../../kernel/caller.js';
import { createNullRemover, findUnstorable } from '../../kernel/body.js';
import { OutcomeDetail, OutcomeEvent, placeEventIds, retractionName } from '../../contract/outcome.js';
import type { Issue } from '../../errors.js';
import { checkerOf, describeViolation, helpfulViolations } from '../../kernel/validation.js';
import { otherSpellingsOf, spellingsOf, unknownNamesOf, type UnknownName } from '../score-request.js';
import { outcomeAheadHoursMax } from '../../limits.js';

export interface EventCheckDeps {
  readonly now: () => number;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
}

/** Facts of a call that hold for all of its events. */
export interface EventSource {
  /** The session of all events, if the address names it. */
  readonly session?: string;
  /** The service itself sends them, and may use its own event ids. */
  readonly isOwn?: boolean;
}

/** Checks the events of one call, in one go; `pathOf` returns the pointer of each. */
export type EventCheck = (
  owner: DataOwner,
  events: readonly unknown[],
  pathOf: (index: number) => string,
  source?: EventSource,
) => Promise<readonly CheckedEvent[]>;

/** `event` is null where there are issues. */
export interface CheckedEvent {
  readonly event: OutcomeEvent | null;
  readonly issues: readonly Issue[];
  /** Names of an event that was taken which mean nothing: what they were to say is not in it. */
  readonly unknown: readonly UnknownName[];
}

const names = Object.keys(OutcomeEvent.properties);
const detailNames = spellingsOf(Object.keys(OutcomeDetail.properties));

export function createEventCheck({ now, findProjectOwner }: EventCheckDeps): EventCheck {
  const removeNulls = createNullRemover(OutcomeEvent);
  const checker = checkerOf<OutcomeEvent>(OutcomeEvent);
  const aheadMsMax = outcomeAheadHoursMax * 3_600_000;

  const dateIssues = ({ occurredAt, detail }: OutcomeEvent): Issue[] => {
    const issues: Issue[] = [];
    const at = Date.parse(occurredAt);
    if (at > now() + aheadMsMax)
      issues.push({
        path: '/occurredAt',
        message: `is more than ${outcomeAheadHoursMax} hours ahead. Send the time of the outcome.`,
      });
    const taken = detail?.name === retractionName ? detail.of : undefined;
    if (taken?.type === 'custom' && Date.parse(taken.occurredAt) >= at)
      issues.push({ path: '/occurredAt', message: 'must be later than the retraction that it reverses.' });
    return issues;
  };

  const checkShape = (sent: unknown, session: string | undefined): OutcomeEvent | readonly Issue[] => {
    removeNulls(sent);
    const event = session === undefined || !isObject(sent) ? sent : { ...sent, sessionId: sent.sessionId ?? session };
    if (session !== undefined && isObject(event) && event.sessionId !== session)
      return [{ path: '/sessionId', message: 'differs from the session in the path. Omit it.' }];
    const isEvent = checker();
    if (!isEvent(event))
      return helpfulViolations(isEvent.errors ?? []).map((violation) => describeViolation(violation, 'body'));
    const unstorable = findUnstorable(event, '');
    return unstorable === null ? event : [unstorable];
  };

  return async (owner, events, pathOf, { session, isOwn = false } = {}) => {
    const shaped = events.map((event) => checkShape(event, session));
    const owners = await findOwners(owner, shaped);
    return shaped.map((event, index): CheckedEvent => {
      const at = pathOf(index);
      const issues = isIssues(event)
        ? event
        : [
            ...dateIssues(event),
            ...contradictions(event),
            ...(isOwn ? [] : reservedIdIssues(event)),
            ...projectIssues(owner, event, owners),
          ];
      if (!isIssues(event) && issues.length === 0) return { event, issues, unknown: unknownOf(event, at) };
      return {
        event: null,
        issues: issues.map(({ path, message }) => ({ path: `${at}${path}`, message })),
        unknown: [],
      };
    });
  };

  /** Events of an organization key name projects. Each project is looked up once. */
  async function findOwners(
    owner: DataOwner,
    shaped: readonly (OutcomeEvent | readonly Issue[])[],
  ): Promise<ReadonlyMap<string, string | null>> {
    if (owner.projectId !== null) return new Map();
    const named = new Set(shaped.flatMap((event) => (isIssues(event) ? [] : (event.projectId ?? []))));
    return new Map(await Promise.all([...named].map(async (id) => [id, await findProjectOwner(id)] as const)));
  }
}

const isObject = (sent: unknown): sent is { readonly sessionId?: unknown } =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent);
const isIssues = (shaped: OutcomeEvent | readonly Issue[]): shaped is readonly Issue[] => Array.isArray(shaped);

/** Contradictions between parts of an event. Following either part would do what the caller did not mean. */
function contradictions({ type, reasonClass, detail }: OutcomeEvent): Issue[] {
  const issues: Issue[] = [];
  if (type !== 'custom' && detail?.name === retractionName)
    issues.push({ path: '/type', message: 'must be "custom" if detail.name is "retraction".' });
  if (reasonClass !== undefined && detail?.reasonClass !== undefined && reasonClass !== detail.reasonClass)
    issues.push({ path: '/detail/reasonClass', message: 'differs from reasonClass. Send only one of them.' });
  return issues;
}

/** An event with such an id would replace what the service reports of a place. */
const reservedIdIssues = ({ eventId }: OutcomeEvent): readonly Issue[] =>
  eventId?.startsWith(placeEventIds) === true
    ? [{ path: '/eventId', message: `is reserved, because it begins with ${placeEventIds}. Use another id.` }]
    : [];

/** Details may hold whatever the caller likes: of their names only those count that are one of ours in another form. */
const unknownOf = (event: OutcomeEvent, at: string): UnknownName[] => [
  ...unknownNamesOf(event, names, at),
  ...otherSpellingsOf(event.detail, detailNames, `${at}/detail`),
];

/** An organization key resolves to no project: the event says whose session it means. */
function projectIssues(
  owner: DataOwner,
  { projectId }: OutcomeEvent,
  owners: ReadonlyMap<string, string | null>,
): readonly Issue[] {
  const issue = (message: string): readonly Issue[] => [{ path: '/projectId', message }];
  if (owner.projectId !== null)
    return projectId === undefined || projectId === owner.projectId
      ? []
      : issue('is not the project of this key. Omit it.');
  if (projectId === undefined)
    return issue('is required with an organization key. Send the project that scored the session.');
  return owners.get(projectId) === owner.organizationId ? [] : issue('is not a project of this organization.');
}
