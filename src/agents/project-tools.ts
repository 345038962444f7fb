/**
 * Tools of projects: which there are, how their verifications went, what tokens say, and thresholds tested before they change.
 */
import { shownMax } from '../contract/agent-tools.js';
import type { Analytics } from '../contract/analytics.js';
import type { ProjectReply } from '../contract/project.js';
import type { RecommendationsReply, SimulationReply } from '../contract/thresholds.js';
import type { TokenReply } from '../contract/token.js';
import { defineTool, type AgentTool } from './tool.js';

const percent = (share: number | null): string => (share === null ? 'unknown' : `${(share * 100).toFixed(1)}%`);

export const projectTools: readonly AgentTool[] = [
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
          `${projects.length} projects${nextCursor === null ? '.' : `, and more with the cursor ${nextCursor}`}`,
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
        `${fromDate} to ${toDate}: ${totalVerifications} verifications, ${passedCount} passed (${percent(passRate)}).`,
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
    say: ({ success, status, error, sessionId }) =>
      success
        ? `Valid: session ${sessionId ?? ''} ended ${status ?? ''}.`
        : `Not valid: ${error ?? 'INVALID'}. Do not trust it.`,
  }),
  defineTool<'simulate_thresholds', SimulationReply>('simulate_thresholds', {
    title: 'Simulate thresholds',
    description:
      'The mix of recommendations that other thresholds would have given on recorded sessions. Changes nothing.',
    scopes: ['lite:read'],
    callOf: (input) => ({ method: 'POST', path: '/lite/simulate', body: { ...input, flips: shownMax } }),
    shape: (reply) => ({ ...reply, flips: reply.flips.slice(0, shownMax) }),
    say: ({ sessions, flipped, current, hypothetical, note }) =>
      [
        `${sessions} sessions, ${flipped} would be answered differently.`,
        `Blocked: ${current.block} now, ${hypothetical.block} then. Review: ${current.review} now, ${hypothetical.review} then.`,
        ...(note === null ? [] : [note]),
      ].join('\n'),
  }),
  defineTool<'threshold_recommendations', RecommendationsReply>('threshold_recommendations', {
    title: 'Recommend thresholds',
    description:
      'Thresholds that the project’s own labels support, for it and for its sources. Never applied by itself.',
    scopes: ['lite:read'],
    callOf: (query) => ({ method: 'GET', path: '/lite/threshold-recommendations', query }),
    shape: ({ sources, ...reply }) => ({ ...reply, sources: sources.slice(0, shownMax), sourcesInAll: sources.length }),
    say: ({ sources }) =>
      sources
        .slice(0, 5)
        .map(({ sourceId, note }) => `${sourceId ?? 'The project'}: ${note}`)
        .join('\n') || 'There is nothing to recommend yet.',
  }),
];
