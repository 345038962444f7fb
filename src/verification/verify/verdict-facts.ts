/** Gathers the facts of a verdict for one envelope: who was compared, which captures were seen before, and the settings in force. */
import { configDefaults, projectDefaults } from '../../contract/project.js';
import type { Envelope } from '../../contract/envelope.js';
import type { AddressFacts } from '../../contract/facts.js';
import type { ProbeTransport } from '../../contract/probe.js';
import { nothingCompared, type UniquenessFacts } from '../../contract/uniqueness.js';
import {
  overallThresholdDefault,
  type CaptureMarks,
  type SeenPictures,
  type VerdictFacts,
} from '../../contract/verdict.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import { thresholdsOf, type StoredProject } from '../../administration/project-store.js';
import type { Database } from '../../stores/database/port.js';
import type { FixedEvidence } from '../fixed-respondents/fixed-respondents.js';
import type { StoredSession } from '../sessions/session-store.js';
import type { ComparedSession, Uniqueness } from '../uniqueness/uniqueness.js';
import { asksCamera } from './camera-check.js';
import { findSeenMarks, type SeenMarks } from './capture-marks.js';

export interface GatherDeps {
  readonly database: Database;
  readonly uniqueness: Pick<Uniqueness, 'compare'>;
  readonly marksOf: (envelope: Envelope) => Promise<CaptureMarks>;
}

/** One envelope, with everything that is known of its sender. */
export interface Submission {
  readonly session: StoredSession;
  readonly project: StoredProject;
  readonly organization: Pick<StoredOrganization, 'monthlyQuota'>;
  readonly envelope: Envelope;
  readonly transport: ProbeTransport;
  /** null where it is not known. */
  readonly address: AddressFacts | null;
  /** The caller asks for diagnostics. */
  readonly diagnostics: boolean;
}

/** One whose pictures were judged and are gone. */
export interface SeenSubmission extends Submission {
  readonly pictures: SeenPictures | null;
  readonly receivedAtMs: number;
  /** The capture followed the session's challenges for as long as that takes a person. */
  readonly isFullCapture: boolean;
  /** The fixed evidence of a test respondent, which decides whatever was received. */
  readonly fixed: FixedEvidence | null;
}

export interface Gathered {
  readonly uniqueness: UniquenessFacts;
  readonly marks: CaptureMarks;
  readonly seen: SeenMarks;
}

export const nothingGathered: Gathered = {
  uniqueness: nothingCompared,
  marks: { embedding: null, frames: [], motion: [], motionSought: [] },
  seen: {
    replay: { embeddingSeen: false, frameMarksSeen: 0, frameMarks: 0, motionMarksSeen: 0, motionMarks: 0 },
    count: 0,
  },
};

export async function gather(
  { uniqueness, marksOf, database }: GatherDeps,
  session: ComparedSession,
  envelope: Envelope,
  nowMs: number,
): Promise<Gathered> {
  const look = async (): Promise<Omit<Gathered, 'uniqueness'>> => {
    const marks = await marksOf(envelope);
    return { marks, seen: await findSeenMarks(database, session, marks) };
  };
  const [compared, looked] = await Promise.all([uniqueness.compare(session, envelope, nowMs), look()]);
  return { uniqueness: compared, ...looked };
}

export function comparedOf({ session, project, pictures, address }: SeenSubmission): ComparedSession {
  const evidence = pictures?.faces == null ? 'claimed' : 'seen';
  const deduplication = {
    ...configDefaults.deduplication,
    ...project.fields.config?.deduplication,
    ...(session.withinStudy && { scope: 'study' as const }),
    ...(session.deviceRule !== null && { device: session.deviceRule }),
  };
  return {
    ...session,
    deduplication,
    evidence,
    country: address?.country ?? null,
    escalateOnSuspicion: asksCamera(session, project),
  };
}

export function factsOf(
  { session, project, envelope, pictures, transport, address, fixed }: SeenSubmission,
  { uniqueness, seen }: Gathered,
  { receivedAtMs, diagnostics }: { readonly receivedAtMs: number; readonly diagnostics: boolean },
): VerdictFacts {
  const { fields } = project;
  const config = { ...configDefaults, ...fields.config };
  const fences = fields.scoreModeConfig ?? projectDefaults.scoreModeConfig;
  const verificationMode = fields.verificationMode ?? projectDefaults.verificationMode;
  return {
    version: 1,
    envelope,
    issuedAtMs: session.createdAt.getTime(),
    receivedAtMs,
    sessionId: session.sessionId,
    nonce: session.nonce,
    mode: session.mode,
    minimumAssurance: session.minimumAssurance,
    challengeCount: session.challengeCount,
    challengeCalls: session.challengeCalls,
    widgetMode: session.widgetMode,
    escalateOnSuspicion: asksCamera(session, project),
    verificationMode,
    thresholds: { ...thresholdsOf(fields), overall: overallThresholdDefault },
    fences,
    riskAggregator: config.riskAggregator,
    breakdown: diagnostics || (verificationMode === 'score' && fences.exposeBreakdown === true),
    uniqueness,
    scoredDevice: session.stepUp?.device ?? null,
    replay: seen.replay,
    pictures,
    transport,
    address,
    first: fixed === null ? session.passiveSignals : null,
    ...fixed?.facts,
  };
}
