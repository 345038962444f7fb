/** The pages of studies, and what they load and send: all of it on the audience listener, so that a page needs no other host. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pageBranding } from '../administration/pages/branding.js';
import { createPageSender, registerPageFiles, type Presentation, type SendPage } from '../audience/page-routes.js';
import { findStudy } from '../audience/study-store.js';
import { serveSdkFiles } from '../http/sdk-files.js';
import { packageRoot } from '../package-root.js';
import { registerProbeIntake } from '../scoring/probe/probe-routes.js';
import type { SharedParts } from './api.js';
import type { Parts } from './parts.js';

export async function registerEntryPages(
  scope: FastifyInstance,
  { stores }: Parts,
  {
    audienceUrl,
    directories: { projects, organizations },
    limits,
    scoring,
  }: Pick<SharedParts, 'directories' | 'limits' | 'scoring'> & { readonly audienceUrl: () => string },
): Promise<SendPage> {
  const presentationOf = async (studyId: string): Promise<Presentation | null> => {
    const study = await findStudy(stores.database, studyId);
    const project = study === null ? null : await projects.get(study.projectId);
    const organization = project === null ? null : await organizations.get(project.organizationId);
    if (project === null || organization === null) return null;
    return { probeKey: project.probeKey, branding: pageBranding(project, organization) };
  };
  await registerPageFiles(scope, { audienceUrl, presentationOf });
  await serveSdkFiles(scope, join(packageRoot, 'dist', 'sdk'));
  await scope.register(async (inner) =>
    registerProbeIntake(inner, {
      path: '/enter/probe',
      probes: scoring.probes,
      admit: (request) => limits.takeAddress('probes', request.clientAddress),
    }),
  );
  return createPageSender({ audienceUrl, presentationOf });
}
