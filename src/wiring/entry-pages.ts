/** The pages of studies, and what they load and send: all of it on the audience listener, so that a page needs no other host. */
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pageBranding } from '../administration/pages/branding.js';
import { createPageSender, registerPageFiles, type Presentation, type SendPage } from '../audience/page-routes.js';
import { findReservation } from '../audience/reservation-store.js';
import { findStudy } from '../audience/study-store.js';
import { serveSdkFiles } from '../http/sdk-files.js';
import { packageRoot } from '../package-root.js';
import { registerProbeIntake } from '../scoring/probe/probe-routes.js';
import type { Database } from '../stores/database/port.js';
import type { SharedParts } from './api.js';
import type { Parts } from './parts.js';

/** A probe counts for its address. Over that limit, those of respondents with a signed link count for themselves. */
async function admitProbe(
  database: Database,
  limits: SharedParts['limits'],
  { body, clientAddress }: FastifyRequest,
): Promise<void> {
  try {
    await limits.takeAddress('probes', clientAddress);
  } catch (error) {
    const { sessionId } = body as { readonly sessionId?: unknown };
    const place = typeof sessionId === 'string' ? await findReservation(database, sessionId) : null;
    if (place?.entry !== 'signed') throw error;
    await limits.takeRespondent(place.projectId, `probe ${place.reservationId}`);
  }
}

export async function registerEntryPages(
  scope: FastifyInstance,
  { stores, now }: Parts,
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
  await registerPageFiles(scope, { presentationOf });
  await serveSdkFiles(scope, join(packageRoot, 'dist', 'sdk'));
  await scope.register(async (inner) =>
    registerProbeIntake(inner, {
      path: '/enter/probe',
      probes: scoring.probes,
      admit: (request) => admitProbe(stores.database, limits, request),
    }),
  );
  return createPageSender({ audienceUrl, presentationOf, now });
}
