/** Commands that score a session, and show what was scored. */
import type { ScoreReply } from '../../../sdk/node/index.js';
import type { EvidenceReply } from '../../contract/score.js';
import type { ScoredSessionPage, SessionTrailReply } from '../../contract/session-trail.js';
import { only, numberOf, table, text, UsageError, type RemoteCommand } from './command.js';

const requestOptions = {
  session: { type: 'string' },
  ip: { type: 'string' },
  study: { type: 'string' },
  source: { type: 'string' },
  respondent: { type: 'string' },
  country: { type: 'string' },
  'user-agent': { type: 'string' },
} as const;

export const score: RemoteCommand = {
  does: 'scores a session',
  usage:
    'score --session ID --ip ADDRESS [--study ID] [--source ID] [--respondent ID] [--country CC] [--user-agent TEXT]',
  options: requestOptions,
  async run({ values, remote }) {
    const [sessionId, clientIp] = [text(values['session']), text(values['ip'])];
    if (sessionId === undefined || clientIp === undefined) throw new UsageError('Name the session and its address.');
    const fields = {
      studyId: text(values['study']),
      sourceId: text(values['source']),
      respondentId: text(values['respondent']),
      declaredCountry: text(values['country']),
      userAgent: text(values['user-agent']),
    };
    const named = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const reply = await remote().client.score({ sessionId, clientIp, ...named });
    return { data: reply, text: describeScore(reply) };
  },
};

export const evidence: RemoteCommand = {
  does: 'shows the evidence of a receipt',
  usage: 'evidence RECEIPT',
  options: {},
  async run(given) {
    const path = `/lite/score/${encodeURIComponent(only(given, 'receipt'))}/evidence`;
    const reply = (await given.remote().call(path)) as EvidenceReply;
    const { summary, against, for: inFavour } = reply.evidence;
    return {
      data: reply,
      text: [summary, ...findings('Against', against), ...findings('In favor', inFavour)].join('\n'),
    };
  },
};

export const session: RemoteCommand = {
  does: 'shows the scores and outcomes of a session',
  usage: 'session ID',
  options: {},
  async run(given) {
    const path = `/lite/sessions/${encodeURIComponent(only(given, 'session'))}`;
    const trail = (await given.remote().call(path)) as SessionTrailReply;
    const receipts = trail.receipts.map((each) => [
      each.scoredAt,
      each.score,
      each.recommendation,
      each.duplicateBand,
      each.receiptId,
    ]);
    const outcomes = trail.outcomes.map((each) => [
      each.occurredAt,
      each.type,
      each.reasonClass,
      each.retracted ? 'retracted' : '',
    ]);
    return {
      data: trail,
      text: [
        table(['scored', 'score', 'recommendation', 'duplicate', 'receipt'], receipts),
        '',
        outcomes.length === 0 ? 'No outcome was reported.' : table(['outcome', 'type', 'class', ''], outcomes),
      ].join('\n'),
    };
  },
};

const listedMax = 1_000;

export const sessions: RemoteCommand = {
  does: 'lists scored sessions, the newest first',
  usage: `sessions [--study ID] [--source ID] [--recommendation NAME] [--duplicate BAND] [--from TIME] [--to TIME] [--text TEXT] [--limit 1-${listedMax}]`,
  options: {
    ...{ study: { type: 'string' }, source: { type: 'string' }, recommendation: { type: 'string' } },
    ...{ duplicate: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' }, text: { type: 'string' } },
    limit: { type: 'string', default: '50' },
  },
  async run({ values, remote }) {
    const limit = Math.min(numberOf('limit', values['limit']) ?? 50, listedMax);
    const service = remote();
    const found: ScoredSessionPage['sessions'] = [];
    let cursor: string | undefined;
    do {
      const page = (await service.call('/lite/sessions', {
        studyId: text(values['study']),
        sourceId: text(values['source']),
        recommendation: text(values['recommendation']),
        duplicateBand: text(values['duplicate']),
        from: text(values['from']),
        to: text(values['to']),
        text: text(values['text']),
        limit: String(Math.min(100, limit)),
        cursor,
      })) as ScoredSessionPage;
      found.push(...page.sessions);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && found.length < limit);
    const shown = found.slice(0, limit);
    const rows = shown.map(({ sessionId, lastScoredAt, receipt }) => [
      ...[lastScoredAt, receipt.score, receipt.recommendation, receipt.duplicateBand],
      ...[receipt.sourceId, receipt.topReason, sessionId],
    ]);
    const head = ['scored', 'score', 'recommendation', 'duplicate', 'source', 'foremost reason', 'session'];
    return { data: shown, text: shown.length === 0 ? 'No session was found.' : table(head, rows) };
  },
};

function describeScore(reply: ScoreReply): string {
  const { score: risk, recommendation, duplicate, independence, receiptId } = reply;
  const band = duplicate.measured ? duplicate.band : 'not measured';
  return [
    `score ${risk}, ${recommendation}; duplicate: ${band}; independence: ${independence.measured ? independence.score : 'not measured'}`,
    reply.evidence.summary,
    ...findings('Against', reply.evidence.against),
    `receipt ${receiptId}`,
  ].join('\n');
}

function findings(title: string, list: ScoreReply['evidence']['against']): string[] {
  return list.length === 0 ? [] : [`${title}:`, ...list.map(({ code, detail }) => `  ${code}: ${detail}`)];
}
