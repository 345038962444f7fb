/** Sends pages to respondents, with the branding of the study’s project; and the files that the pages load. */
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { pageFiles } from '../administration/pages/files.js';
import { brandSheetOf } from '../administration/pages/frame.js';
import { chooseLanguage } from '../administration/pages/languages.js';
import type { Branding } from '../contract/project-parts.js';
import { registerOpen } from '../http/access.js';
import { notFound } from '../kernel/faults.js';
import { packageRoot } from '../package-root.js';
import type { Answer } from './fielding.js';
import { headersOf, pageStatus, renderPage } from './pages.js';
import { markShown } from './check-marks.js';
import type { Study } from './study-store.js';

export interface PageSenderDeps {
  readonly audienceUrl: () => string;
  readonly now: () => number;
  /** The presentation of the study’s project; null: there is no such study. */
  readonly presentationOf: (studyId: string) => Promise<Presentation | null>;
}

export interface Presentation {
  readonly probeKey: string;
  readonly branding: Branding | null;
}

export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Extract<Answer, { kind: 'page' }>,
  status?: number,
) => Promise<FastifyReply>;

export function createPageSender({ audienceUrl, presentationOf, now }: PageSenderDeps): SendPage {
  return async (request, reply, { page, study, sessionId }, status = pageStatus[page]) => {
    const presentation = study === null ? null : await presentationOf(study.studyId);
    const branding = presentation?.branding ?? null;
    const check =
      presentation === null || sessionId === undefined
        ? null
        : {
            sessionId,
            probeKey: presentation.probeKey,
            next: markShown(request, reply, { nowMs: now(), isSecure: audienceUrl().startsWith('https:') }),
          };
    return reply
      .code(status)
      .headers(headersOf(branding?.logoUrl ?? null, check !== null))
      .send(
        renderPage(page, {
          language: chooseLanguage(study?.language, request.headers['accept-language']),
          branding,
          brandSheet: brandSheetOf(branding) === null ? null : `${audienceUrl()}${sheetPath(study)}`,
          audienceUrl: audienceUrl(),
          studyName: study?.name ?? null,
          check,
        }),
      );
  };
}

const sheetPath = (study: Pick<Study, 'studyId'> | null): string => `/enter/${study?.studyId ?? ''}/brand.css`;

/** `page.css`, `entry.js`, and a style sheet for each study whose project has colours of its own. */
export async function registerPageFiles(
  app: FastifyInstance,
  { presentationOf }: Pick<PageSenderDeps, 'presentationOf'>,
): Promise<void> {
  app.get(
    '/enter/:studyId/brand.css',
    {
      config: { access: { credential: 'none' } },
      schema: { hide: true, params: Type.Object({ studyId: Type.String({ maxLength: 128 }) }) },
    },
    async (request, reply) => {
      const { studyId } = request.params as { readonly studyId: string };
      const sheet = brandSheetOf((await presentationOf(studyId))?.branding ?? null);
      if (sheet === null) throw notFound('style sheet');
      return reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(sheet);
    },
  );
  await registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      root: [join(packageRoot, 'src', 'audience', 'page', 'assets'), pageFiles],
      prefix: '/pages/',
      decorateReply: false,
      index: false,
      wildcard: false,
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });
  });
}
