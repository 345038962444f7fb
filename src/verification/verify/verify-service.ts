/**
 * Turns an envelope into a verdict: facts are gathered, the pure core judges them, and one transaction makes it so: the session completed, its
 * marks and fingerprint kept, the quota taken, the events written. If envelopes race for one session, exactly one completes it; the
 * others are SESSION_COMPLETED, and nothing of theirs is kept. Killed anywhere, everything was done or nothing. A session whose passive signals do
 * not pass may stay open for a camera check, once (camera-check.ts): nothing is recorded then.
 */
import type { Envelope } from '../../contract/envelope.js';
import type { DeviceSketch } from '../../contract/facts.js';
import { configDefaults, projectDefaults } from '../../contract/project.js';
import type { VerifyAnswer } from '../../contract/score-envelope.js';
import type { VerdictFacts, VerdictOutcome } from '../../contract/verdict.js';
import { Fault } from '../../errors.js';
import type { StoredProject } from '../../administration/project-store.js';
import type { Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Outbox } from '../../stores/outbox/outbox.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { fixedEvidenceOf } from '../fixed-respondents/fixed-respondents.js';
import { withQuota } from '../quota.js';
import type { Randomness } from '../sessions/challenges.js';
import { countLinkFails, countLinkUse, linkFailsPerDay } from '../sessions/linked-sessions.js';
import { completedAlready, requireVerifiable } from '../sessions/session-state.js';
import { completeSession, findChain, findSession, type StoredSession } from '../sessions/session-store.js';
import { claimsOf, signVerificationToken } from '../tokens/verification-token.js';
import type { SigningDirectory } from '../tokens/signing-directory.js';
import { othersMax } from '../uniqueness/face-reuse.js';
import { ConcurrentDuplicateError, type ComparedSession, type Uniqueness } from '../uniqueness/uniqueness.js';
import { asksCamera, escalate, findCameraCheck, withFirstSignals } from './camera-check.js';
import { isFullCapture, isMadeUp, showsComparison } from './face-tries.js';
import { keepMarks, movedAlikeMeanwhile } from './capture-marks.js';
import { clientClassOf } from './client-class.js';
import type { PictureJudge } from './picture-judge.js';
import { createSessionTurns, type SessionTurns } from './session-turns.js';
import { seeEvidence, type SeenEvidence } from './seen-evidence.js';
import { eventsOf, type CompletedSession, verifyReplyOf } from './session-events.js';
import {
  comparedOf,
  factsOf,
  gather,
  nothingGathered,
  type Gathered,
  type GatherDeps,
  type SeenSubmission,
  type Submission,
} from './verdict-facts.js';

export interface VerifyServiceDeps extends GatherDeps {
  readonly outbox: Outbox;
  readonly uniqueness: Pick<Uniqueness, 'compare' | 'record'>;
  readonly judge: (facts: VerdictFacts) => Promise<VerdictOutcome>;
  readonly judgePictures: PictureJudge['judge'];
  /** The device of an envelope; null if it says too little. */
  readonly sketchOf: (envelope: Envelope) => Promise<DeviceSketch | null>;
  readonly signing: SigningDirectory;
  readonly issuer: () => string;
  readonly random: Randomness;
  readonly metrics: Pick<Metrics, 'verifications' | 'verifyStage'>;
  readonly now: () => number;
}

export type VerifyService = ReturnType<typeof createVerifyService>;

/**
 * Captures that are sent twice, and people who come twice, at the same moment make each other look again. A face that many complete with makes each
 * look again for each respondent who counts; the other rounds are for everything else.
 */
const roundsMax = 4 + othersMax;
const tokenIdBytes = 16;

export function createVerifyService(deps: VerifyServiceDeps) {
  const turns = createSessionTurns();
  return {
    /** Throws the faults of a session that cannot be verified; see sessions/session-state.ts. */
    async requireOpen({ session, project }: Pick<Submission, 'session' | 'project'>): Promise<void> {
      requireVerifiable(session, deps.now());
      await requireOpenChain(deps.database, session);
      requireBudget(session, project);
    },

    /** Judges an envelope of an open session. SESSION_COMPLETED if another one completed it meanwhile. */
    verify: (received: Submission): Promise<VerifyAnswer> => judgeUntilRecorded(deps, turns, received),
  };
}

async function judgeUntilRecorded(
  deps: VerifyServiceDeps,
  turns: SessionTurns,
  received: Submission,
): Promise<VerifyAnswer> {
  const { session, project } = received;
  const fixed = fixedEvidenceOf(session, received.envelope);
  const envelope = fixed?.envelope ?? received.envelope;
  const receivedAtMs = deps.now();
  // Consent that the integrator obtained stands where the widget did not ask for it again.
  const consented = { ...envelope, consent: envelope.consent ?? session.consent };
  // A page may send what nobody asked for: nothing of it is kept.
  if (project.fields.config?.demographics !== true) delete consented.demographics;
  const seen =
    fixed === null
      ? await see(deps, turns, { ...received, receivedAtMs, envelope: consented })
      : { envelope: consented, pictures: null };
  let submission = {
    ...received,
    receivedAtMs,
    fixed,
    pictures: seen.pictures,
    isFullCapture: isFullCapture(received.envelope, session, receivedAtMs),
    received: received.envelope,
    envelope: seen.envelope,
  };
  for (let round = 0; round < roundsMax; round += 1) {
    const reply = await attempt(deps, submission);
    if (reply !== null) return reply;
    const current = await findSession(deps.database, session.sessionId);
    if (current === null) throw completedAlready();
    const asked = findCameraCheck({ session: current, envelope: received.envelope });
    if (asked !== null) return asked;
    // The capture counts from here on, and nobody looked at its pictures.
    if (asksCamera(current, project) !== asksCamera(session, project))
      return judgeUntilRecorded(deps, turns, { ...received, session: current });
    submission = { ...submission, session: current };
  }
  throw new Fault('OVERLOADED', 'Another session with this capture or respondent is completing. Retry later.', {
    headers: { 'retry-after': '1' },
  });
}

/** Refused before it is judged; the statement that completes a session decides. While a first try is open, its chain has no other session. */
async function requireOpenChain(database: Queryable, { rootSessionId, retryCount }: StoredSession): Promise<void> {
  if (retryCount > 0 && (await findChain(database, rootSessionId)).hasPassed) throw completedAlready();
}

/**
 * Whether the verification counts against the quota. A failure that costs a page no effort does not: a stranger, or who has a link, could use the month
 * up in a second. One that showed a comparison of faces does. Nor do more failures of a day than a respondent of links makes.
 */
async function isCounted(
  database: Queryable,
  { session, isFullCapture, receivedAtMs }: SeenSubmission,
  { verdict: { status, fraudSignals }, page }: VerdictOutcome,
): Promise<boolean> {
  if (status !== 'fail' || (session.respondentTrusted && session.linkId === null)) return true;
  const isCostly = isFullCapture && !isMadeUp(fraudSignals);
  if (!isCostly && !showsComparison({ ...page, status })) return false;
  return !session.respondentTrusted || (await countLinkFails(database, session, receivedAtMs)) < linkFailsPerDay;
}

/** Judges the pictures once, however many rounds follow; nothing after this has them. */
async function see(
  deps: VerifyServiceDeps,
  turns: SessionTurns,
  submission: Submission & Pick<SeenSubmission, 'receivedAtMs'>,
): Promise<SeenEvidence> {
  const { session, project, envelope } = submission;
  const policy = {
    isSampled: session.evidenceFrames === 'sampled',
    named: session.challengeCalls.flatMap(({ reply }) => ('done' in reply ? reply.frameIndices : [])),
    widgetMode: session.widgetMode,
    escalateOnSuspicion: asksCamera(session, project),
  };
  return seeEvidence(envelope, policy, (pictures) =>
    turns.run(session.sessionId, async () => {
      if (await failsWithoutPictures(deps, submission)) return null;
      const end = deps.metrics.verifyStage.startTimer({ stage: 'pictures' });
      const findings = await deps.judgePictures(session, pictures);
      end();
      return findings;
    }),
  );
}

/** Its face is that of the pictures, whether the page claimed one or not. */
const unseenFace = { model: 'unseen', dimension: 128, values: '' } as const;

/** Whether everything else already fails the capture, so that nobody makes the service look at pictures in vain. */
async function failsWithoutPictures(
  deps: VerifyServiceDeps,
  submission: Submission & Pick<SeenSubmission, 'receivedAtMs'>,
): Promise<boolean> {
  const { receivedAtMs, envelope } = submission;
  const unseen = {
    ...submission,
    ...{ fixed: null, pictures: null, isFullCapture: false },
    envelope: { ...envelope, embedding: envelope.embedding ?? unseenFace },
  };
  const facts = factsOf(unseen, nothingGathered, { receivedAtMs, diagnostics: false });
  // A comparison of faces may still raise the overall score.
  const { verdict } = await deps.judge({ ...facts, thresholds: { ...facts.thresholds, overall: 0 } });
  return verdict.status === 'fail';
}

/** The project’s budget may have been lowered since the session was made. */
function requireBudget({ retryCount }: StoredSession, { fields }: StoredProject): void {
  if (retryCount <= (fields.config?.maxRetries ?? configDefaults.maxRetries)) return;
  throw new Fault('RETRY_BUDGET_EXHAUSTED', 'All retries of `config.maxRetries` are used up. Raise it to allow more.', {
    context: { reason: 'budget_exhausted' },
  });
}

/**
 * null where another session sent the same capture, the same person completed it, or another envelope asked for the camera check, meanwhile: to be
 * judged again, with that known.
 */
async function attempt(
  deps: VerifyServiceDeps,
  submission: SeenSubmission & { readonly received: Envelope },
): Promise<VerifyAnswer | null> {
  const { session, project, envelope, receivedAtMs } = submission;
  const compared = comparedOf(submission);
  const endCompare = deps.metrics.verifyStage.startTimer({ stage: 'compare' });
  const gathered = submission.fixed === null ? await gather(deps, compared, envelope, receivedAtMs) : nothingGathered;
  endCompare();
  const diagnostics = submission.diagnostics && session.diagnostics;
  const endVerdict = deps.metrics.verifyStage.startTimer({ stage: 'verdict' });
  const outcome = await deps.judge(factsOf(submission, gathered, { receivedAtMs, diagnostics }));
  endVerdict();
  const first = withFirstSignals(submission, session, outcome.verdict);
  if (first !== null) return attempt(deps, { ...submission, ...first });
  const mayWait = submission.fixed?.isEscalated ?? true;
  const cameraCheck = mayWait ? await escalate(deps.database, submission, outcome.verdict) : null;
  if (cameraCheck !== null) return cameraCheck;

  const completedAt = new Date(deps.now());
  const completed: CompletedSession = {
    session,
    outcome,
    verificationMode: project.fields.verificationMode ?? projectDefaults.verificationMode,
    completedAt,
    ...clientClassOf(submission.transport.userAgent),
  };
  const secret = await deps.signing.current(session);
  const tokenId = deps.random.bytes(tokenIdBytes).toString('base64url');
  const endRecord = deps.metrics.verifyStage.startTimer({ stage: 'record' });
  const device = await findUnknownDevice(deps, submission);
  const isRecorded = await record(deps, submission, { completed, compared, gathered, tokenId, device });
  endRecord();
  if (!isRecorded) return null;
  deps.metrics.verifications.inc({ status: outcome.verdict.status, mode: session.mode });
  const claims = claimsOf({ ...session, tokenId, completedAt, result: outcome }, deps.issuer());
  const token = signVerificationToken(secret, claims);
  return verifyReplyOf(session.sessionId, token, outcome, diagnostics);
}

interface Recording {
  readonly completed: CompletedSession;
  readonly compared: ComparedSession;
  readonly gathered: Gathered;
  readonly tokenId: string;
  readonly device: DeviceSketch | null;
}

/** The device of a step-up whose score knew none: later scores compare it, too. */
const findUnknownDevice = (
  { sketchOf }: Pick<VerifyServiceDeps, 'sketchOf'>,
  { session: { stepUp }, envelope, fixed }: SeenSubmission,
): Promise<DeviceSketch | null> =>
  stepUp === null || stepUp.device !== null || fixed !== null ? Promise.resolve(null) : sketchOf(envelope);

/** The one transaction, and after it the way into the log. False where `attempt` judges again, and nothing was done. */
async function record(
  { database, uniqueness, outbox }: VerifyServiceDeps,
  submission: SeenSubmission,
  { completed, compared, gathered, tokenId, device }: Recording,
): Promise<boolean> {
  const { session, organization, envelope } = submission;
  const { organizationId, mode } = session;
  const { outcome, completedAt } = completed;
  const events = eventsOf(completed);
  const usage = { organizationId, mode, monthlyQuota: organization.monthlyQuota, nowMs: completedAt.getTime() };
  const complete = async (tx: Queryable): Promise<void> => {
    const { marks, seen } = gathered;
    const [completing, keeping, ...rest] = sendAll([
      completeSession(tx, session, { completedAt, tokenId, outcome, device }),
      keepMarks(tx, session, marks, seen),
      uniqueness.record(tx, compared, envelope, {
        completedAt,
        status: outcome.verdict.status,
        evidence: outcome.verdict.biometricEvidence,
      }),
      outbox.write(tx, events),
    ]);
    if (!(await completing)) throw new NotCompleted();
    if (!(await keeping)) throw new MarkTaken();
    await Promise.all(rest);
    if (outcome.verdict.status !== 'fail' && (await movedAlikeMeanwhile(tx, session, marks, seen)))
      throw new MarkTaken();
    // A row that many share is taken last, and held for the commit only.
    await countLinkUse(tx, session, outcome.verdict.status);
  };
  try {
    if (await isCounted(database, submission, outcome))
      await withQuota(usage, (closing) => inOrganization(database, organizationId, complete, { closing }));
    else await inOrganization(database, organizationId, complete);
  } catch (error) {
    if (error instanceof MarkTaken || error instanceof ConcurrentDuplicateError) return false;
    if (!(error instanceof NotCompleted)) throw error;
    if (await isAskedMeanwhile(database, session)) return false;
    throw completedAlready();
  }
  void outbox.publish(events);
  return true;
}

/** Sends statements together. Each is awaited in turn, and the first failure is thrown; the others fail after it. */
function sendAll<T extends readonly [Promise<unknown>, ...Promise<unknown>[]]>(statements: T): T {
  for (const statement of statements) statement.catch(() => undefined);
  return statements;
}

/** Whether another envelope asked for the camera check after the session was read. */
async function isAskedMeanwhile(database: Queryable, { sessionId, escalationHash }: StoredSession): Promise<boolean> {
  if (escalationHash !== null) return false;
  const current = await findSession(database, sessionId);
  return current !== null && current.completedAt === null && current.escalationHash !== null;
}

/** These roll the transaction back, and never leave this file. */
class MarkTaken extends Error {}
class NotCompleted extends Error {}
