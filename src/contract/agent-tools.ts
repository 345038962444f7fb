/** Input and output of the tools for agents: the operations’ own shapes, cut to what fits a conversation. */
import { Type, type Static } from 'typebox';
import { Analytics, AnalyticsQuery } from './analytics.js';
import { pageFields } from './paging.js';
import { ProjectReply } from './project.js';
import { EvidenceBlock, EvidenceReply, Finding, ScoreReply, ScoreRequest } from './score.js';
import { RecommendationsQuery, RecommendationsReply, SimulationReply, SimulationRequest } from './thresholds.js';
import { Nullable } from './common.js';
import { StudyCreation } from './study.js';
import { StudyReply } from './study-replies.js';
import { TokenReply, TokenVerification } from './token.js';

/** Most findings, flips or sources in an answer. */
export const shownMax = 10;

const projectId = Type.String({
  pattern: '^proj_[0-9a-f]{32}$',
  description: 'Project of the client’s organization; list_projects names them.',
});
// Parts of a path, so that nothing but an id may stand there.
const receiptId = Type.String({
  pattern: '^rcpt_[0-9a-f]{32}$',
  description: 'From score_respondent, by the same client and project.',
});

const studyInput = Type.String({ pattern: '^study_[0-9a-f]{32}$', description: 'From create_study.' });
const { studyId, projectId: studyProjectId, name, status, entryUrl, progress } = StudyReply.properties;
const study = Type.Object({ studyId, projectId: studyProjectId, name, status, entryUrl, progress });

const { score, duplicateScore, recommendation, verdictClass, degradedSignals, sessionId } = ScoreReply.properties;
const brief = Type.Object({
  code: Finding.properties.code,
  axis: Finding.properties.axis,
  strength: Finding.properties.strength,
  detail: Finding.properties.detail,
});
export const toolShapes = {
  score_respondent: {
    input: Type.Object({ projectId, ...ScoreRequest.properties }),
    output: Type.Object({
      receiptId: ScoreReply.properties.receiptId,
      ...{ sessionId, recommendation, score, duplicateScore, verdictClass },
      summary: EvidenceBlock.properties.summary,
      against: Type.Array(brief, {
        maxItems: shownMax,
        description: 'Findings that raised the risk, the foremost first.',
      }),
      degradedSignals,
    }),
  },
  get_evidence: {
    input: Type.Object({ projectId, receiptId }),
    output: Type.Object({
      ...EvidenceReply.properties,
      evidence: Type.Object({
        summary: EvidenceBlock.properties.summary,
        against: Type.Array(Finding, { maxItems: shownMax }),
        for: Type.Array(Finding, { maxItems: shownMax }),
        notes: Type.Array(Finding, { maxItems: shownMax }),
      }),
      findingsInAll: Type.Integer({ minimum: 0, description: 'Also those that are not shown.' }),
    }),
  },
  explain_receipt: {
    input: Type.Object({ projectId, receiptId }),
    output: Type.Object({
      receiptId: Type.String(),
      scoredAt: EvidenceReply.properties.scoredAt,
      summary: EvidenceBlock.properties.summary,
      against: Type.Array(brief, { maxItems: shownMax }),
      for: Type.Array(brief, { maxItems: shownMax }),
      faithful: EvidenceReply.properties.provenance.properties.faithful,
      note: EvidenceReply.properties.provenance.properties.note,
    }),
  },
  list_projects: {
    input: Type.Object({
      ...pageFields,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: shownMax, default: shownMax })),
      externalId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    }),
    output: Type.Object({
      projects: Type.Array(
        Type.Object({
          projectId: ProjectReply.properties.projectId,
          externalId: ProjectReply.properties.externalId,
          name: ProjectReply.properties.name,
          createdAt: ProjectReply.properties.createdAt,
        }),
      ),
      nextCursor: Nullable(Type.String({ description: 'Pass it on as cursor; null on the last page.' })),
    }),
  },
  project_analytics: {
    input: Type.Object({ projectId, ...AnalyticsQuery.properties }),
    output: Type.Omit(Analytics, ['timeSeries', 'devices', 'browsers']),
  },
  create_study: { input: StudyCreation, output: study },
  study_progress: { input: Type.Object({ studyId: studyInput }), output: study },
  verify_token: { input: TokenVerification, output: TokenReply },
  simulate_thresholds: {
    input: Type.Object({ ...Type.Omit(SimulationRequest, ['flips']).properties, projectId }),
    output: Type.Object({
      ...SimulationReply.properties,
      flips: Type.Array(SimulationReply.properties.flips.items, { maxItems: shownMax, description: 'Newest first.' }),
    }),
  },
  threshold_recommendations: {
    input: Type.Object({ ...RecommendationsQuery.properties, projectId }),
    output: Type.Object({
      ...RecommendationsReply.properties,
      sources: Type.Array(RecommendationsReply.properties.sources.items, {
        maxItems: shownMax,
        description: 'The project first, then the sources with the most sessions.',
      }),
      sourcesInAll: Type.Integer({ minimum: 0 }),
    }),
  },
} as const;

export type ToolName = keyof typeof toolShapes;
export type ToolInput<Name extends ToolName> = Static<(typeof toolShapes)[Name]['input']>;
export type ToolOutput<Name extends ToolName> = Static<(typeof toolShapes)[Name]['output']>;
