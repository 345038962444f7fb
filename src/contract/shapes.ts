/**
 * The shapes that have a name in the API document. Each stands once under `components.schemas` and is referenced wherever its structure
 * occurs. Renaming one renames a type in every generated client.
 */
import type { TSchema } from 'typebox';
import { KeyChange, KeyCreation, KeyIntrospection, KeyPage, KeyRecord, KeyRotation, RateLimits } from './api-key.js';
import { DemoKeyReply, MintedKeyReply } from './api-key.js';
import { AuditEntry, AuditPage } from './audit.js';
import { LiteConfig, LiteKnobs, LiteShadow } from './calibration.js';
import { ConsentSettings, ConsentTerms } from './consent.js';
import { ErrorBody, ErrorIssue } from './common.js';
import { CreatedLinkReply, LinkCreation, LinkPage, LinkReply } from './hosted-link.js';
import { mergePatchOf } from './merge-patch.js';
import { ClientKeySet, MadeOAuthClient, OAuthClientCreation, OAuthClientPage } from './oauth.js';
import { OAuthClientRecord, OAuthClientRotation } from './oauth.js';
import { OrganizationChange, OrganizationReply, OrganizationSettings, SettingsChange } from './organization.js';
import { OutcomeDetail, OutcomeEvent, OutcomeReply, SessionOutcomeEvent } from './outcome.js';
import { ProbeBody, ProbeReply, QuestionSnapshot, Sample } from './probe.js';
import { Activity, ActivityReply } from './monitoring.js';
import { Branding, Deduplication, Monitoring, ScoreModeConfig, Thresholds } from './project-parts.js';
import { OriginCheck, ProjectPatch, ProjectConfig, ProjectCreation, ProjectProvisioning } from './project.js';
import { BrandingReply, EffectiveSettings, ProjectConfigReply, ScoreModeReply, ThresholdsReply } from './project.js';
import { OriginPatterns, ProjectReply, ProvisioningReply, PublicConfig } from './project.js';
import { SigningSecretReply, SigningSecretRotation } from './project.js';
import { Categories, DuplicateReply, EvidenceBlock, EvidenceReply, Finding, FraudProbability } from './score.js';
import { IndependenceReply } from './score.js';
import { ChainedReceipt, ReceiptChainPage, ReceiptHead, ReceiptHeadPage } from './receipt-chain.js';
import {
  CalibrationBand,
  CalibrationReply,
  FairGroup,
  FairnessReply,
  MixDay,
  MixReply,
  SourceReport,
  SourcesReply,
} from './reports.js';
import { Flip, Mix, RecommendationsReply, SimulationReply, SimulationRequest } from './thresholds.js';
import { ShadowFlips, ShadowReply, ShadowShares, ShadowSource } from './shadow.js';
import { SourceRecommendation } from './thresholds.js';
import { CaptureDone, ChallengeConfig, ChallengeRequest, RevealedChallenge } from './session.js';
import { PublicSessionCreation, SessionCreation, SessionReply } from './session.js';
import {
  Decision,
  ScoredSession,
  ScoredSessionPage,
  SessionOutcome,
  SessionProbe,
  SessionReceipt,
  SessionRejection,
} from './session-trail.js';
import { SessionTrailReply, TrailReceipt } from './session-trail.js';
import { JsonWebKeySet, TokenReply, TokenVerification } from './token.js';
import { Analytics } from './analytics.js';
import { Demographics, Envelope } from './envelope.js';
import { ErasureReply } from './respondent-erasure.js';
import { CameraCheckReply, SessionResult, VerifyReply } from './score-envelope.js';
import {
  Duplication,
  FraudSignal,
  PriorParticipation,
  RiskContribution,
  ShownScores,
  UnifiedVerdict,
  VerdictRisk,
} from './verdict.js';
import { Reason, RespondentStats, ScoreReply, ScoreRequest, WebBotAuth } from './score.js';
import { CreatedWebhookReply, DeliveryAttempt, DeliveryPage, DeliveryRef, DeliveryReply, Recovery } from './webhook.js';
import { MonitoringPayload, QuestionPayload, VerdictPayload, VerificationPayload } from './webhook-payload.js';
import { RecoveryReply, WebhookCreation, WebhookHealth, WebhookPage, WebhookReply } from './webhook.js';

export const shapes: Readonly<Record<string, TSchema>> = {
  Error: ErrorBody,
  ErrorIssue,
  // Scoring
  ScoreRequest,
  RespondentStats,
  WebBotAuth,
  ScoreReply,
  Finding,
  FraudProbability,
  Evidence: EvidenceBlock,
  EvidenceReply,
  Reason,
  MixReply,
  MixDay,
  SourcesReply,
  SourceReport,
  CalibrationReply,
  CalibrationBand,
  FairGroup,
  FairnessReply,
  SessionTrail: SessionTrailReply,
  SessionReceipt,
  TrailReceipt,
  Decision,
  SessionProbe,
  SessionOutcome,
  SessionRejection,
  ScoredSession,
  ScoredSessionPage,
  ReceiptChainPage,
  ChainedReceipt,
  ReceiptHeadPage,
  ReceiptHead,
  Duplicate: DuplicateReply,
  Independence: IndependenceReply,
  Categories,
  ProbeMessage: ProbeBody,
  ProbeReply,
  ProbeAutomation: ProbeBody.properties.auto,
  ProbeUserAgent: ProbeBody.properties.ua,
  ProbeHardware: ProbeBody.properties.hw,
  ProbeScreen: ProbeBody.properties.scr,
  ProbeLocale: ProbeBody.properties.loc,
  ProbeGraphics: ProbeBody.properties.gfx,
  ProbeEnvironment: ProbeBody.properties.env,
  ProbePage: ProbeBody.properties.page,
  ProbeBehavior: ProbeBody.properties.beh,
  PointerSample: Sample,
  QuestionSnapshot,
  // Outcomes
  OutcomeEvent,
  SessionOutcomeEvent,
  OutcomeDetail,
  OutcomeReply,
  // Thresholds
  SimulationRequest,
  SimulationReply,
  ShadowReply,
  ShadowFlips,
  ShadowShares,
  ShadowSource,
  RecommendationMix: Mix,
  RecommendationFlip: Flip,
  ThresholdRecommendation: SourceRecommendation,
  ThresholdRecommendations: RecommendationsReply,
  // Sessions and tokens
  PublicSessionCreation,
  SessionCreation,
  Session: SessionReply,
  LinkCreation,
  CreatedLink: CreatedLinkReply,
  Link: LinkReply,
  LinkPage,
  Demographics,
  Envelope,
  VerifyReply,
  CameraCheckReply,
  ChallengeConfig,
  ChallengeRequest,
  RevealedChallenge,
  CaptureDone,
  SessionResult,
  Activity,
  ActivityReply,
  Duplication,
  FraudSignal,
  PriorParticipation,
  UnifiedVerdict,
  VerdictRisk,
  VerificationPayload,
  MonitoringPayload,
  QuestionPayload,
  VerdictPayload,
  RiskContribution,
  ErasureReply,
  Analytics,
  VerdictScores: ShownScores,
  TokenReply,
  TokenVerification,
  JsonWebKeySet,
  // Projects
  Project: ProjectReply,
  ProjectConfig,
  ProjectCreation,
  ProjectProvisioning,
  ProjectPatch: mergePatchOf(ProjectPatch),
  LiteKnobs,
  LiteShadow,
  LiteKnobsPatch: mergePatchOf(LiteKnobs),
  LiteShadowPatch: mergePatchOf(LiteShadow),
  ProvisionedProject: ProvisioningReply,
  LiteConfig,
  Thresholds,
  ScoreModeConfig,
  Branding,
  Deduplication,
  Monitoring,
  OriginPatterns,
  ProjectConfigReply,
  ThresholdsReply,
  EffectiveSettings,
  ScoreModeReply,
  BrandingReply,
  PublicConfig,
  ConsentTerms,
  ConsentSettings,
  OriginCheck,
  SigningSecretRotation,
  SigningSecret: SigningSecretReply,
  // Keys
  ApiKey: KeyRecord,
  ApiKeyPage: KeyPage,
  ApiKeyCreation: KeyCreation,
  ApiKeyRotation: KeyRotation,
  ApiKeyChange: KeyChange,
  CurrentApiKey: KeyIntrospection,
  MintedApiKey: MintedKeyReply,
  DemoApiKey: DemoKeyReply,
  RateLimits,
  // OAuth clients
  OAuthClient: OAuthClientRecord,
  OAuthClientPage,
  OAuthClientCreation,
  OAuthClientRotation,
  OAuthClientKeySet: ClientKeySet,
  MadeOAuthClient,
  // Webhooks
  WebhookHealth,
  Webhook: WebhookReply,
  CreatedWebhook: CreatedWebhookReply,
  WebhookPage,
  WebhookCreation,
  Delivery: DeliveryReply,
  DeliveryAttempt,
  DeliveryPage,
  DeliveryRef,
  Recovery,
  RecoveryReply,
  // Organizations
  Organization: OrganizationReply,
  OrganizationSettings,
  SettingsChange,
  OrganizationChange,
  AuditEntry,
  AuditPage,
};
