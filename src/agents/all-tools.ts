/** All tools, in the order in which an agent reads them. Launching a study stays with people. */
import { shownMax } from '../contract/agent-tools.js';
import type { Analytics } from '../contract/analytics.js';
import { countNoun } from '../contract/plural.js';
import type { ProjectReply } from '../contract/project.js';
import type { EvidenceReply, Finding, ScoreReply } from '../contract/score.js';
import type { StudyReply } from '../contract/study-replies.js';
import type { RecommendationsReply, SimulationReply } from '../contract/thresholds.js';
import type { TokenReply } from '../contract/token.js';
import { defineTool, type AgentTool, type OperationCall } from './tool.js';

const briefOf = ({ code, axis, strength, detail }: Finding) => ({ code, axis, strength, detail });
const briefs = (findings: readonly Finding[]) => findings.slice(0, shownMax).map(briefOf);
const listed = (title: string, findings: readonly { readonly detail: string }[]): readonly string[] =>
  findings.length === 0 ? [] : [title, ...findings.slice(0, 3).map(({ detail }) => `- ${detail}`)];

const evidenceCall = (input: { readonly projectId: string; readonly receiptId: string }): OperationCall => ({
  method: 'GET',
  path: `/lite/score/${encodeURIComponent(input.receiptId)}/evidence`,
  projectId: input.projectId,
});

const scoringTools: readonly AgentTool[] = [
  defineTool<'score_respondent', ScoreReply>('score_respondent', {
    title: 'Score a respondent',
    description:
      'Scores one respondent’s session of a project: risk from 0 to 100, duplication, and a recommendation. Call once per session, with the respondent’s own address. It is counted.',
    scopes: ['lite:score'],
    readOnly: false,
    callOf: ({ projectId, ...body }) => ({ method: 'POST', path: '/lite/score', projectId, body }),
    shape: ({ evidence, ...reply }) => ({
      ...{ receiptId: reply.receiptId, sessionId: reply.sessionId, recommendation: reply.recommendation },
      ...{ score: reply.score, duplicateScore: reply.duplicateScore, verdictClass: reply.verdictClass },
      summary: evidence.summary,
      against: briefs(evidence.against),
      degradedSignals: reply.degradedSignals,
    }),
    say: ({ recommendation, score, duplicateScore, summary, receiptId, against }) =>
      [
        `${recommendation}: risk ${score}, duplication ${duplicateScore}. ${summary}`,
        ...listed('Against:', against),
        `Receipt ${receiptId}.`,
      ].join('\n'),
  }),
  defineTool<'get_evidence', EvidenceReply>('get_evidence', {
    title: 'Get the evidence of a score',
    description: 'Reads the strongest findings against and for the respondent, and those that were not scored.',
    scopes: ['lite:read', 'receipts:read'],
    callOf: evidenceCall,
    shape: ({ evidence, ...reply }) => ({
      ...reply,
      evidence: {
        summary: evidence.summary,
        against: evidence.against.slice(0, shownMax),
        for: evidence.for.slice(0, shownMax),
        notes: evidence.notes.slice(0, shownMax),
      },
      findingsInAll: evidence.against.length + evidence.for.length + evidence.notes.length,
    }),
    say: ({ evidence, provenance }) =>
      [
        evidence.summary,
        ...listed('Against:', evidence.against),
        ...listed('For:', evidence.for),
        provenance.note,
      ].join('\n'),
  }),
  defineTool<'explain_receipt', EvidenceReply>('explain_receipt', {
    title: 'Explain a receipt',
    description: 'Explains a score in few words, with the strongest findings on either side.',
    scopes: ['lite:read', 'receipts:read'],
    callOf: evidenceCall,
    shape: ({ receiptId, scoredAt, evidence, provenance }) => ({
      ...{ receiptId, scoredAt, summary: evidence.summary },
      ...{ against: briefs(evidence.against), for: briefs(evidence.for) },
      ...{ faithful: provenance.faithful, note: provenance.note },
    }),
    say: ({ summary, against, for: favour, note }) =>
      [summary, ...listed('Against:', against), ...listed('For:', favour), note].join('\n'),
  }),
];

const percent = (share: number | null): string => (share === null ? 'unknown' : `${(share * 100).toFixed(1)}%`);

const projectTools: readonly AgentTool[] = [
  defineTool<'list_projects', { readonly projects: readonly ProjectReply[]; readonly nextCursor: string | null }>(
    'list_projects',
    {
      title: 'List projects',
      description: 'The organization’s projects, newest first, a page at a time.',
      scopes: ['projects:write', 'analytics:read'],
      callOf: (query) => ({ method: 'GET', path: '/projects', query: { limit: shownMax, ...query } }),
      shape: ({ projects, nextCursor }) => ({
        projects: projects.map(({ projectId, externalId, name, createdAt }) => ({
          ...{ projectId, externalId, name, createdAt },
        })),
        nextCursor,
      }),
      say: ({ projects, nextCursor }) =>
        [
          `${countNoun(projects.length, 'project')}${nextCursor === null ? '.' : `, and more with the cursor ${nextCursor}`}`,
          ...projects.map(({ projectId, name }) => `- ${projectId} ${name}`),
        ].join('\n'),
    },
  ),
  defineTool<'project_analytics', Analytics>('project_analytics', {
    title: 'Read a project’s analytics',
    description: 'How the verifications of a project went over some days of UTC: totals, rates, reasons of failure.',
    scopes: ['analytics:read'],
    callOf: ({ projectId, ...query }) => ({ method: 'GET', path: `/projects/${projectId}/analytics`, query }),
    shape: ({ timeSeries: _series, devices: _devices, browsers: _browsers, ...totals }) => ({
      ...totals,
      failureReasons: totals.failureReasons.slice(0, shownMax),
    }),
    say: ({ fromDate, toDate, totalVerifications, passedCount, passRate, failureReasons }) =>
      [
        `${fromDate} to ${toDate}: ${countNoun(totalVerifications, 'verification')}, ${passedCount} passed (${percent(passRate)}).`,
        ...failureReasons.slice(0, 3).map(({ reason, count }) => `- ${reason}: ${count}`),
      ].join('\n'),
  }),
  defineTool<'verify_token', TokenReply>('verify_token', {
    title: 'Validate a verification token',
    description:
      'Whether the verificationToken that a respondent’s page handed over is genuine and good now, and what it says.',
    scopes: ['verifications:read'],
    callOf: (body) => ({ method: 'POST', path: '/token/verify', body }),
    shape: (reply) => reply,
    say({ success, status, dispatch, stepUpFor, error, sessionId }) {
      if (!success) return `Not valid: ${error ?? 'INVALID'}. Do not trust it.`;
      const limit = dispatch === 'score_blocked' ? ', but a limit of score mode stops it: refuse it' : '';
      const stepUp =
        stepUpFor === undefined ? '' : ` It is of the step-up for ${stepUpFor}, and no pass of a respondent.`;
      return `Valid: session ${sessionId ?? ''} ended ${status ?? ''}${limit}.${stepUp}`;
    },
  }),
  defineTool<'simulate_thresholds', SimulationReply>('simulate_thresholds', {
    title: 'Simulate thresholds',
    description:
      'The mix of recommendations that other thresholds would have given on recorded sessions. Changes nothing.',
    scopes: ['lite:read', 'receipts:read'],
    callOf: (input) => ({ method: 'POST', path: '/lite/simulate', body: { ...input, flips: shownMax } }),
    shape: (reply) => ({ ...reply, flips: reply.flips.slice(0, shownMax) }),
    say: ({ sessions, flipped, current, hypothetical, note }) =>
      [
        `${countNoun(sessions, 'session')}, ${flipped} would be answered differently.`,
        `Blocked: ${current.block} now, ${hypothetical.block} then. Review: ${current.review} now, ${hypothetical.review} then.`,
        ...(note === null ? [] : [note]),
      ].join('\n'),
  }),
  defineTool<'threshold_recommendations', RecommendationsReply>('threshold_recommendations', {
    title: 'Recommend thresholds',
    description:
      'Thresholds that the project’s own labels support, for it and for its sources. Never applied by itself.',
    scopes: ['lite:read', 'receipts:read'],
    callOf: (query) => ({ method: 'GET', path: '/lite/threshold-recommendations', query }),
    shape: ({ sources, ...reply }) => ({ ...reply, sources: sources.slice(0, shownMax), sourcesInAll: sources.length }),
    say: ({ sources }) =>
      sources
        .slice(0, 5)
        .map(({ sourceId, note }) => `${sourceId ?? 'The project'}: ${note}`)
        .join('\n') || 'There is nothing to recommend yet.',
  }),
];

const progressOf = ({ studyId, projectId, name, status, entryUrl, progress }: StudyReply) => ({
  ...{ studyId, projectId, name, status, entryUrl, progress },
});
const figures = ({ completed, verified, entered, sample_size: wanted }: StudyReply['progress']): string =>
  `${completed} of ${wanted} completed; ${verified} verified of ${entered} who came.`;

const studyTools: readonly AgentTool[] = [
  defineTool<'create_study', StudyReply>('create_study', {
    title: 'Create a study',
    description:
      'Asks for verified respondents: countries, language, sample size, survey. It is a draft until it is launched.',
    scopes: ['audience:write'],
    readOnly: false,
    callOf: (body) => ({ api: 'audience', method: 'POST', path: '/studies', body }),
    shape: progressOf,
    say: ({ studyId, status }) =>
      `Study ${studyId} is ${status}. It is fielded after POST /studies/${studyId}/launch of the audience API.`,
  }),
  defineTool<'study_progress', StudyReply>('study_progress', {
    title: 'Follow a study',
    description: 'State of a study, its places and quotas.',
    scopes: ['audience:write'],
    callOf: ({ studyId }) => ({ api: 'audience', method: 'GET', path: `/studies/${encodeURIComponent(studyId)}` }),
    shape: progressOf,
    say: ({ name, status, progress }) =>
      `${name} is ${status}: ${figures(progress)} ${countNoun(progress.places_left, 'place')} left.`,
  }),
];

export const agentTools: readonly AgentTool[] = [...scoringTools, ...projectTools, ...studyTools];
