/**
 * Verification sessions in the database. Only the SHA-256 of a client secret is stored. Completing is one statement that holds only while
 * the session is not completed: of two that race, one gets a row.
 */
import type { Metadata } from '../../contract/session.js';
import type { IssuedChallenge, Verdict, VerdictOutcome } from '../../contract/verdict.js';
import type { Queryable } from '../../stores/database/port.js';

export interface NewSession {
  readonly sessionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly secretHash: Uint8Array;
  readonly isDemo: boolean;
  readonly diagnostics: boolean;
  readonly studyId: string | null;
  readonly respondentId: string | null;
  readonly linkId: string | null;
  readonly dataCollector: string | null;
  readonly metadata: Metadata;
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  readonly nonce: string;
  readonly challenges: readonly IssuedChallenge[];
  readonly consent: { readonly biometric: boolean; readonly at: string } | null;
  readonly rootSessionId: string;
  readonly retryCount: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface StoredSession extends NewSession {
  readonly completedAt: Date | null;
  readonly status: Verdict['status'] | null;
  readonly tokenId: string | null;
  readonly result: VerdictOutcome | null;
}

type SessionRow = {
  readonly session_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly secret_hash: Uint8Array;
  readonly is_demo: boolean;
  readonly diagnostics: boolean;
  readonly study_id: string | null;
  readonly respondent_id: string | null;
  readonly link_id: string | null;
  readonly data_collector: string | null;
  readonly metadata: Metadata;
  readonly widget_mode: NewSession['widgetMode'];
  readonly nonce: string;
  readonly challenges: readonly IssuedChallenge[];
  readonly consent: NewSession['consent'];
  readonly root_session_id: string;
  readonly retry_count: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly completed_at: Date | null;
  readonly status: Verdict['status'] | null;
  readonly token_id: string | null;
  readonly result: VerdictOutcome | null;
};

const idForm = /^sess_[0-9a-f]{32}$/;

export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  await tx.query(
    `INSERT INTO verification_sessions (session_id, organization_id, project_id, secret_hash, is_demo, diagnostics, study_id, respondent_id, link_id, data_collector,
       metadata, widget_mode, nonce, challenges, consent, root_session_id, retry_count, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13, $14::jsonb, $15::jsonb, $16, $17, $18, $19)`,
    [
      session.sessionId,
      session.organizationId,
      session.projectId,
      session.secretHash,
      session.isDemo,
      session.diagnostics,
      session.studyId,
      session.respondentId,
      session.linkId,
      session.dataCollector,
      JSON.stringify(session.metadata),
      session.widgetMode,
      session.nonce,
      JSON.stringify(session.challenges),
      session.consent === null ? null : JSON.stringify(session.consent),
      session.rootSessionId,
      session.retryCount,
      session.createdAt,
      session.expiresAt,
    ],
    { recurring: true },
  );
}

/** null for what is no id of ours, too. */
export async function findSession(database: Queryable, sessionId: string): Promise<StoredSession | null> {
  if (!idForm.test(sessionId)) return null;
  const [row] = await database.query<SessionRow>(
    'SELECT * FROM verification_sessions WHERE session_id = $1',
    [sessionId],
    {
      recurring: true,
    },
  );
  return row === undefined ? null : sessionOf(row);
}

/** Locks the chain against concurrent retries. Returns how many it has had, including those whose sessions were never used. */
export async function lockChain(tx: Queryable, rootSessionId: string): Promise<number> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`retry ${rootSessionId}`]);
  const [row] = await tx.query<{ count: number | null }>(
    'SELECT max(retry_count) AS count FROM verification_sessions WHERE root_session_id = $1',
    [rootSessionId],
  );
  return row?.count ?? 0;
}

export interface Completion {
  readonly sessionId: string;
  readonly completedAt: Date;
  readonly tokenId: string;
  readonly outcome: VerdictOutcome;
}

/** Completes the session; false where it was completed already. */
export async function completeSession(tx: Queryable, completion: Completion): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE verification_sessions SET completed_at = $2, status = $3, token_id = $4, result = $5::jsonb
      WHERE session_id = $1 AND completed_at IS NULL RETURNING session_id`,
    [
      completion.sessionId,
      completion.completedAt,
      completion.outcome.verdict.status,
      completion.tokenId,
      JSON.stringify(completion.outcome),
    ],
    { recurring: true },
  );
  return rows.length > 0;
}

function sessionOf(row: SessionRow): StoredSession {
  return {
    sessionId: row.session_id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    secretHash: row.secret_hash,
    isDemo: row.is_demo,
    diagnostics: row.diagnostics,
    studyId: row.study_id,
    respondentId: row.respondent_id,
    linkId: row.link_id,
    dataCollector: row.data_collector,
    metadata: row.metadata,
    widgetMode: row.widget_mode,
    nonce: row.nonce,
    challenges: row.challenges,
    consent: row.consent,
    rootSessionId: row.root_session_id,
    retryCount: row.retry_count,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    completedAt: row.completed_at,
    status: row.status,
    tokenId: row.token_id,
    result: row.result,
  };
}
