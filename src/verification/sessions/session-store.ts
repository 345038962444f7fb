/**
 * Verification sessions in the database. Only the SHA-256 of a client secret is stored. Completing is one statement that holds only while
 * neither the session is completed nor another of its chain or of its receipt passed, nor a camera check was asked for since it was read: of two
 * that race, one gets a row.
 */
import type { SessionMode } from '../../contract/common.js';
import type { Envelope } from '../../contract/envelope.js';
import type { EvidenceFramesMode } from '../../contract/evidence-frames.js';
import type { AddressFacts, DeviceSketch } from '../../contract/facts.js';
import type { ProbeTransport } from '../../contract/probe.js';
import type { DeviceRule } from '../../contract/project-parts.js';
import type { DemandedAssurance } from '../../contract/project.js';
import type { ChallengeCall, Metadata } from '../../contract/session.js';
import type { EndedStepUp, StepUp } from '../../contract/step-up.js';
import type { Verdict, VerdictOutcome } from '../../contract/verdict.js';
import { DatabaseConflict, type Queryable } from '../../stores/database/port.js';

export type NewSession = {
  readonly sessionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly secretHash: Uint8Array;
  readonly mode: SessionMode;
  readonly diagnostics: boolean;
  readonly studyId: string | null;
  readonly respondentId: string | null;
  /** Whether a backend or a hosted link named the respondent, and not the page alone. */
  readonly respondentTrusted: boolean;
  /** True in a study of the audience API, which deduplicates by itself. */
  readonly withinStudy: boolean;
  readonly linkId: string | null;
  /** Replaces the project’s rule on devices that took part; null: it stands. */
  readonly deviceRule: DeviceRule | null;
  readonly dataCollector: string | null;
  readonly metadata: Metadata;
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  /** The minimum at creation, from the project and the step-up; its page shows it. */
  readonly minimumAssurance: DemandedAssurance;
  readonly evidenceFrames: EvidenceFramesMode;
  readonly nonce: string;
  readonly challengeCount: number;
  /** The score that asked for it. */
  readonly stepUp: StepUp | null;
  readonly consent: { readonly biometric: boolean; readonly at: string } | null;
  /** Token of the proof of work that pays for it; null: it is free. */
  readonly proof: string | null;
  readonly rootSessionId: string;
  readonly retryCount: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** The device, the behaviour, the headers and the network of an envelope without the camera. */
export type PassiveSignals = Pick<Envelope, 'device' | 'behavior'> & {
  readonly transport: ProbeTransport;
  /** null where it is not known. */
  readonly address: AddressFacts | null;
};

export type StoredSession = NewSession & {
  /** The page’s calls for challenges, in order. */
  readonly challengeCalls: readonly ChallengeCall[];
  /** The hash of the envelope after which the session stayed open for a camera check. */
  readonly escalationHash: Uint8Array | null;
  /** Its signals, until the session completes. */
  readonly passiveSignals: PassiveSignals | null;
  readonly completedAt: Date | null;
  readonly status: Verdict['status'] | null;
  readonly tokenId: string | null;
  readonly result: VerdictOutcome | null;
};

/** A session’s columns, named as its fields. */
const columns = `session_id AS "sessionId", organization_id AS "organizationId", project_id AS "projectId", secret_hash AS "secretHash",
  mode, diagnostics, study_id AS "studyId", respondent_id AS "respondentId",
  respondent_trusted AS "respondentTrusted", within_study AS "withinStudy", link_id AS "linkId", device_rule AS "deviceRule",
  data_collector AS "dataCollector", metadata, widget_mode AS "widgetMode", minimum_assurance AS "minimumAssurance", evidence_frames AS "evidenceFrames", nonce, challenge_count AS "challengeCount", challenge_calls AS "challengeCalls", step_up AS "stepUp", consent, proof, root_session_id AS "rootSessionId",
  retry_count AS "retryCount", created_at AS "createdAt", expires_at AS "expiresAt", escalation_hash AS "escalationHash", passive_signals AS "passiveSignals",
  completed_at AS "completedAt", status,
  token_id AS "tokenId", result`;
const idForm = /^sess_[0-9a-f]{32}$/;

export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  await tx.query(
    `INSERT INTO verification_sessions (session_id, organization_id, project_id, secret_hash, mode, diagnostics, study_id, respondent_id, link_id, data_collector,
       metadata, widget_mode, nonce, challenge_count, challenge_calls, consent, root_session_id, retry_count, created_at, expires_at, respondent_trusted, within_study, step_up, proof, minimum_assurance, evidence_frames, device_rule)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13, $14, '[]', $15::jsonb, $16, $17, $18, $19, $20, $21, $22::jsonb, $23, $24, $25, $26)`,
    [
      ...[session.sessionId, session.organizationId, session.projectId, session.secretHash, session.mode],
      ...[session.diagnostics, session.studyId, session.respondentId, session.linkId, session.dataCollector],
      ...[JSON.stringify(session.metadata), session.widgetMode, session.nonce, session.challengeCount],
      session.consent === null ? null : JSON.stringify(session.consent),
      ...[session.rootSessionId, session.retryCount, session.createdAt, session.expiresAt],
      ...[session.respondentTrusted, session.withinStudy],
      session.stepUp === null ? null : JSON.stringify(session.stepUp),
      ...[session.proof, session.minimumAssurance, session.evidenceFrames, session.deviceRule],
    ],
    { recurring: true },
  );
}

/** Whether a creation failed as its proof of work paid for another session. */
export const isProofSpent = (error: unknown): boolean =>
  error instanceof DatabaseConflict && error.constraint === 'verification_sessions_one_proof';

/** null for what is no id of ours, too. */
export async function findSession(database: Queryable, sessionId: string): Promise<StoredSession | null> {
  if (!idForm.test(sessionId)) return null;
  const sql = `SELECT ${columns} FROM verification_sessions WHERE session_id = $1`;
  const [session = null] = await database.query<StoredSession>(sql, [sessionId], { recurring: true });
  return session;
}

export interface Chain {
  /** Retries that it has had, including those whose sessions were never used. */
  readonly retries: number;
  /** One of its sessions completed and did not fail: the chain is over. */
  readonly hasPassed: boolean;
}

export async function findChain(database: Queryable, rootSessionId: string): Promise<Chain> {
  const [chain] = await database.query<{ [Name in keyof Chain]: Chain[Name] | null }>(
    `SELECT max(retry_count) AS retries, bool_or(status <> 'fail') AS "hasPassed" FROM verification_sessions WHERE root_session_id = $1`,
    [rootSessionId],
    { recurring: true },
  );
  return { retries: chain?.retries ?? 0, hasPassed: chain?.hasPassed ?? false };
}

/** The outcome of a session; null if there is none, or it has not ended. */
export async function findOutcome(database: Queryable, sessionId: string): Promise<VerdictOutcome | null> {
  const sql = 'SELECT result FROM verification_sessions WHERE session_id = $1';
  const [row] = await database.query<{ result: VerdictOutcome | null }>(sql, [sessionId], { recurring: true });
  return row?.result ?? null;
}

/** Whether a limit of score mode stopped a session, whatever its status is. */
export const isStopped = `result -> 'dispatch' ->> 'status' = 'score_blocked'`;

const stepUpsMax = 16;
const isStepUpPass = `status = 'pass' AND NOT ${isStopped}`;

/** The verifications that scores of a session requested and that passed or failed, but not as duplicates; one that was stopped failed. Passes first, heavy ones before light ones, the newest first. */
export async function findEndedStepUps(
  database: Queryable,
  { projectId, mode }: Pick<NewSession, 'projectId' | 'mode'>,
  scoredSessionId: string,
): Promise<readonly EndedStepUp[]> {
  return database.query<EndedStepUp>(
    `SELECT ${isStepUpPass} AS passed, step_up AS "stepUp", respondent_id AS "respondentId" FROM verification_sessions
      WHERE project_id = $1 AND step_up ->> 'sessionId' = $3 AND step_up IS NOT NULL AND mode = $2
        AND (status = 'pass' OR status = 'fail' AND result -> 'verdict' ->> 'failureCategory' <> 'duplicate')
      ORDER BY passed DESC, step_up ->> 'intensity' = 'heavy' DESC, completed_at DESC LIMIT ${stepUpsMax}`,
    [projectId, mode, scoredSessionId],
    { recurring: true },
  );
}

/** Locks the chain against concurrent retries, and reads it. */
export async function lockChain(tx: Queryable, rootSessionId: string): Promise<Chain> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`retry ${rootSessionId}`]);
  return findChain(tx, rootSessionId);
}

/** Locks the receipt of a step-up against concurrent sessions, and reads how many it had: completed ones, and those that still can be. */
export async function lockStepUp(
  tx: Queryable,
  projectId: string,
  { receiptId, sessionId }: StepUp,
  now: Date,
): Promise<{ readonly sessions: number; readonly hasPassed: boolean }> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`step up ${receiptId}`]);
  const [row] = await tx.query<{ sessions: number; hasPassed: boolean | null }>(
    `SELECT count(*)::integer AS sessions, bool_or(status = 'pass') AS "hasPassed" FROM verification_sessions
      WHERE project_id = $1 AND step_up ->> 'sessionId' = $2 AND step_up IS NOT NULL AND step_up ->> 'receiptId' = $3
        AND (completed_at IS NOT NULL OR expires_at > $4)`,
    [projectId, sessionId, receiptId, now],
    { recurring: true },
  );
  return { sessions: row?.sessions ?? 0, hasPassed: row?.hasPassed ?? false };
}

/** Keeps a call for the next challenge; false where the session was completed or another call came first. */
export async function keepChallengeCall(tx: Queryable, sessionId: string, call: ChallengeCall): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE verification_sessions SET challenge_calls = challenge_calls || jsonb_build_array($2::jsonb)
      WHERE session_id = $1 AND completed_at IS NULL AND jsonb_array_length(challenge_calls) = $3 RETURNING session_id`,
    [sessionId, JSON.stringify(call), call.index],
    { recurring: true },
  );
  return rows.length > 0;
}

/** Keeps the session open for its camera check, once; answers how many challenges it asks for, the same to the same envelope. null where another envelope was first. */
export async function escalateSession(
  tx: Queryable,
  sessionId: string,
  { hash, signals }: { hash: Uint8Array; signals: PassiveSignals },
  challengeCount: number,
): Promise<number | null> {
  const [row] = await tx.query<{ count: number }>(
    `UPDATE verification_sessions SET escalation_hash = $2, passive_signals = CASE WHEN escalation_hash IS NULL THEN $4::json ELSE passive_signals END, challenge_count = CASE WHEN escalation_hash IS NULL THEN $3 ELSE challenge_count END
      WHERE session_id = $1 AND completed_at IS NULL AND coalesce(escalation_hash, $2) = $2 RETURNING challenge_count AS count`,
    [sessionId, hash, challengeCount, JSON.stringify(signals)],
    { recurring: true },
  );
  return row?.count ?? null;
}

const onePass = ['verification_sessions_one_pass', 'verification_sessions_one_step_up'];

/** Completes the session; false where it was completed already, stays open for a camera check, or its chain or another session of its receipt has passed. */
export async function completeSession(
  tx: Queryable,
  { sessionId, escalationHash }: Pick<StoredSession, 'sessionId' | 'escalationHash'>,
  {
    completedAt,
    tokenId,
    outcome,
    device,
  }: {
    readonly completedAt: Date;
    readonly tokenId: string;
    readonly outcome: VerdictOutcome;
    /** The device that its step-up did not know yet; null if there is nothing to add. */
    readonly device: DeviceSketch | null;
  },
): Promise<boolean> {
  const completing = tx.query(
    `UPDATE verification_sessions AS s SET completed_at = $2, status = $3, token_id = $4, result = $5::jsonb, passive_signals = NULL,
        step_up = CASE WHEN $6::jsonb IS NULL THEN step_up ELSE jsonb_set(step_up, '{device}', $6::jsonb) END
      WHERE session_id = $1 AND completed_at IS NULL AND escalation_hash IS NOT DISTINCT FROM $7::bytea
        AND NOT EXISTS (SELECT 1 FROM verification_sessions WHERE root_session_id = s.root_session_id AND status IN ('pass', 'review'))
      RETURNING session_id`,
    [
      ...[sessionId, completedAt, outcome.verdict.status, tokenId, JSON.stringify(outcome)],
      ...[device === null ? null : JSON.stringify(device), escalationHash],
    ],
    { recurring: true },
  );
  const rows = await completing.catch((error: unknown) => {
    if (error instanceof DatabaseConflict && onePass.includes(error.constraint)) return [];
    throw error;
  });
  return rows.length > 0;
}

const matches = ['{verdict,duplicateMatch,sessionId}', '{verdict,priorParticipation,sessionId}'] as const;
const names = [
  ...matches,
  ...['{verdict,duplicateMatch,respondentId}', '{verdict,priorParticipation,respondentId}'],
  ...['{verdict,duplication,matchedSessionId}', '{shown,duplication,matchedSessionId}'],
];

/** Sessions of respondents: $1 the project, $2 their ids. */
export const ofRespondent = 'project_id = $1 AND respondent_id = ANY($2::text[])';

/** Takes the names of these sessions and of their respondent out of results that found them as a match; answers whose results these are. */
export async function unnameMatches(
  tx: Queryable,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<readonly string[]> {
  const isNamed = matches.map((path) => `result #>> '${path}' IS NOT NULL AND result #>> '${path}' = ANY($2::text[])`);
  const rows = await tx.query<{ session_id: string }>(
    `WITH unnamed AS (
       UPDATE verification_sessions SET result = result ${names.map((path) => `#- '${path}'`).join(' ')}
       WHERE organization_id = $1 AND (${isNamed.join(' OR ')}) RETURNING session_id)
     INSERT INTO changes (kind, subject) SELECT 'session', session_id FROM unnamed RETURNING subject AS session_id`,
    [organizationId, sessionIds],
  );
  return rows.map((row) => row.session_id);
}
