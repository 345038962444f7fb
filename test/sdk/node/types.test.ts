/** The client's types stand in full in its package; the compiler holds them against the contract here, and the assertions count their fields. */
import t from 'tap';
import type { EventsSummary, OutcomeEvent, ScoreReply, ScoreRequest, TokenReply } from '../../../sdk/node/api.js';
import type { CalibrationReport, MixDay, SourceReport } from '../../../sdk/node/reports.js';
import type * as reports from '../../../src/contract/reports.js';
import type * as outcomes from '../../../src/contract/outcome.js';
import { OutcomeEvent as EventSchema, OutcomeReply } from '../../../src/contract/outcome.js';
import { ScoreReply as ReplySchema, ScoreRequest as RequestSchema } from '../../../src/contract/score.js';
import type * as scores from '../../../src/contract/score.js';
import { TokenReply as TokenSchema } from '../../../src/contract/token.js';
import type * as tokens from '../../../src/contract/token.js';

/** Compiles only where a value of the first type is one of the second. */
const accepts =
  <Wide>() =>
  <Narrow extends Wide>(name: string, _kind?: Narrow) =>
    name;

t.test('what the contract answers, the client’s types can hold; what they let be sent, the contract takes', (t) => {
  t.same(
    [
      accepts<ScoreReply>()<scores.ScoreReply>('score'),
      accepts<TokenReply>()<tokens.TokenReply>('token'),
      accepts<SourceReport>()<reports.SourceReport>('source'),
      accepts<MixDay>()<reports.MixReply['days'][number]>('mix'),
      accepts<CalibrationReport>()<reports.CalibrationReply>('calibration'),
      accepts<scores.ScoreRequest>()<ScoreRequest>('request'),
      accepts<outcomes.OutcomeEvent>()<OutcomeEvent>('event'),
    ],
    ['score', 'token', 'source', 'mix', 'calibration', 'request', 'event'],
  );
  t.end();
});

t.test('no field of the contract is missing in the client’s types', (t) => {
  const score: Record<keyof ScoreReply, true> = {
    score: true,
    duplicateScore: true,
    duplicate: true,
    independence: true,
    declaredCountryMatch: true,
    recommendation: true,
    verdictClass: true,
    categories: true,
    reasons: true,
    evidence: true,
    degradedSignals: true,
    grlCompat: true,
    assuranceAvailable: true,
    stepUpIntensity: true,
    ceilings: true,
    sessionId: true,
    receiptId: true,
    replayed: true,
    supersedes: true,
  };
  t.strictSame(Object.keys(score).sort(), Object.keys(ReplySchema.properties).sort());
  const request: Record<keyof ScoreRequest | 'supplierStats', true> = {
    sessionId: true,
    clientIp: true,
    userAgent: true,
    sourceId: true,
    subSourceId: true,
    studyId: true,
    declaredCountry: true,
    respondentId: true,
    ipPrefixHash: true,
    deviceHash: true,
    respondentStats: true,
    supplierStats: true,
    webBotAuth: true,
  };
  t.strictSame(
    Object.keys(request).sort(),
    Object.keys(RequestSchema.properties).sort(),
    'supplierStats is deprecated',
  );
  const event: Record<keyof OutcomeEvent, true> = {
    sessionId: true,
    type: true,
    occurredAt: true,
    reasonClass: true,
    eventId: true,
    projectId: true,
    detail: true,
  };
  t.strictSame(
    Object.keys(EventSchema.properties).filter((name) => !(name in event)),
    [],
  );
  const summary: Record<keyof EventsSummary | 'sessions', true> = {
    received: true,
    accepted: true,
    corrected: true,
    duplicates: true,
    rejected: true,
    unmatched: true,
    issues: true,
    sessions: true,
  };
  t.strictSame(
    Object.keys(OutcomeReply.properties).filter((name) => !(name in summary)),
    [],
    'sessions of several requests may be the same: they are not added up',
  );
  const token: Record<keyof TokenReply, true> = {
    success: true,
    sessionId: true,
    status: true,
    scores: true,
    failureReasons: true,
    failureCategory: true,
    fraudSignals: true,
    isDuplicate: true,
    duplicateMatch: true,
    priorParticipation: true,
    studyId: true,
    respondentId: true,
    dataCollector: true,
    issuedAt: true,
    expiresAt: true,
    dispatch: true,
    mode: true,
    assuranceLevel: true,
    verificationOutcome: true,
    biometricEvidence: true,
    widgetMode: true,
    error: true,
    hint: true,
    stepUpFor: true,
    field: true,
  };
  t.strictSame(Object.keys(token).sort(), Object.keys(TokenSchema.properties).sort());
  t.end();
});
