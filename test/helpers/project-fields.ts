/** Changes of a project: as its owner makes them, and past the checks of its routes. */
import type { Test } from 'tap';
import type { ProjectFields } from '../../src/contract/project.js';
import type { Database } from '../../src/stores/database/port.js';
import type { TestService } from './service.js';

/** Thresholds under which everything passes that a browser under playwright can show. */
export const lenient = { liveness: 0, uniqueness: 0, authenticity: 0, screenDetection: 0 };

/** Changes the demo project by its route, with the organization’s key; the change has to be taken. */
export function createPatch(
  t: Pick<Test, 'equal'>,
  service: Pick<TestService, 'bootstrap' | 'call'>,
): (body: Readonly<Record<string, unknown>>) => Promise<void> {
  return async (body) => {
    const { projectId, organizationKey } = service.bootstrap;
    const headers = { 'x-api-key': organizationKey };
    const { status, body: answer } = await service.call('PATCH', `/projects/${projectId}`, { body, headers });
    t.equal(status, 200, status === 200 ? 'the project is set' : JSON.stringify(answer));
  };
}

/** Sets the demo project for a mount without a camera: invisible, everything passes, and what is given. */
export function createMountPatch(t: Pick<Test, 'equal'>, service: Pick<TestService, 'bootstrap' | 'call'>) {
  const patch = createPatch(t, service);
  return ({ config = {}, ...fields }: Readonly<Record<string, unknown>> = {}): Promise<void> =>
    patch({
      verificationMode: 'block',
      scoreModeConfig: null,
      customThresholds: lenient,
      ...fields,
      config: {
        widgetMode: 'invisible',
        degradedMode: null,
        maxRetries: null,
        escalateOnSuspicion: null,
        challengeEnabled: null,
        minimumAssurance: null,
        // One device makes all visits.
        deduplication: { perDataCollector: true },
        ...(config as object),
      },
    });
}

/** Writes fields as they are stored. */
export async function updateProjectFields(
  database: Database,
  projectId: string,
  fields: Partial<ProjectFields>,
): Promise<void> {
  await database.query('UPDATE projects SET fields = fields || $2::jsonb WHERE project_id = $1', [
    projectId,
    JSON.stringify(fields),
  ]);
}
