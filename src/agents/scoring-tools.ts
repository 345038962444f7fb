/**
 * Tools of scoring: a score, and why it is what it is.
 */
import { shownMax } from '../contract/agent-tools.js';
import type { EvidenceReply, Finding, ScoreReply } from '../contract/score.js';
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

export const scoringTools: readonly AgentTool[] = [
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
    description:
      'What spoke against and for the respondent, and what was seen and moved nothing: the strongest of each.',
    scopes: ['lite:read'],
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
    description: 'Why a session was scored as it was, in few words: the strongest findings on either side.',
    scopes: ['lite:read'],
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
