/**
 * The demo: a page with a short survey and the probe on it, its files, and the call in which this service plays the
 * customer’s backend. For development only: whoever reaches the page scores with the demo project’s key, which itself
 * never leaves the server. Faults of scoring are answered as scoring answers them.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { unmeasuredAxes } from '../contract/axes.js';
import { CallerId } from '../contract/common.js';
import { ScoreRequest, type ScoreReply } from '../contract/score.js';
import { servePageFiles } from '../http/page-files.js';
import { userAgentLengthMax } from '../limits.js';
import { packageRoot } from '../package-root.js';
import { pagePolicy, renderPage } from './page.js';

export interface DemoDeps {
  /** A backend reaches this service here. Asked on each visit, because a free port is known only once it listens. */
  readonly siteUrl: () => string;
  /** The demo project’s public probe key. */
  readonly probeKey: string;
  readonly projectId: string;
  /** Mixed into the hash of the visitor’s id. Stays with the installation and never reaches the browser. */
  readonly salt: string;
  /** Scores as the demo project; answers the reply as JSON text. */
  readonly score: (request: ScoreRequest) => Promise<string>;
}

const pageDirectory = join(packageRoot, 'src', 'demo', 'page');
const open = { access: { credential: 'none' } } as const;

const DemoVisitBody = Type.Object({
  sessionId: CallerId('The session that the page was rendered with.'),
  visitorId: CallerId('The random id that the browser keeps.'),
  declaredCountry: ScoreRequest.properties.declaredCountry,
});

/** Registers /demo, /demo/assets/* and /demo/score. */
export async function registerDemoRoutes(app: FastifyInstance, deps: DemoDeps): Promise<void> {
  const template = await readFile(join(pageDirectory, 'index.html'), 'utf8');

  app.get('/demo', { config: open, schema: { hide: true } }, async (_request, reply) => {
    void reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8');
    return renderPage(template, {
      ...{ sessionId: randomUUID(), projectId: deps.projectId },
      ...{ probeKey: deps.probeKey, siteUrl: deps.siteUrl() },
    });
  });

  app.post('/demo/score', { config: open, schema: { hide: true, body: DemoVisitBody } }, async (request, reply) => {
    const { ip: peerAddress, headers } = request;
    const scoreRequest = buildScoreRequest(
      { ...request.body, peerAddress, userAgent: headers['user-agent'] },
      deps.salt,
    );
    const answer = await deps.score(scoreRequest);
    const unmeasured = unmeasuredAxes(JSON.parse(answer) as ScoreReply);
    // The reply is text already, and is shown to the visitor as it came.
    return reply
      .type('application/json; charset=utf-8')
      .send(`{"request":${JSON.stringify(scoreRequest)},"unmeasured":${JSON.stringify(unmeasured)},"reply":${answer}}`);
  });

  await servePageFiles(app, '/demo/assets/', join(pageDirectory, 'assets'));
}

interface DemoVisit extends Static<typeof DemoVisitBody> {
  /** Address of the peer, as the socket names it. */
  readonly peerAddress: string;
  readonly userAgent: string | undefined;
}

/**
 * Builds the scoring call of a customer’s backend for a finished interview. Never fails; the scoring call itself reports invalid values.
 * Always in this order of fields: an identical retry is one whose body is the same.
 */
function buildScoreRequest(visit: DemoVisit, salt: string): ScoreRequest {
  return {
    sessionId: visit.sessionId,
    clientIp: plainAddress(visit.peerAddress),
    ...(visit.userAgent === undefined ? {} : { userAgent: visit.userAgent.slice(0, userAgentLengthMax) }),
    studyId: 'demo-study',
    sourceId: 'demo-page',
    respondentId: createHash('sha256').update(`${salt}|${visit.visitorId}`).digest('hex'),
    ...(typeof visit.declaredCountry === 'string' ? { declaredCountry: visit.declaredCountry } : {}),
  };
}

/** A socket writes IPv4 mapped into IPv6 and adds a zone to a link’s own addresses; the request takes neither. */
function plainAddress(text: string): string {
  return text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}
