/**
 * Studies as their owners handle them; for every listener that offers it.
 */
import type { Directories } from '../administration/directories.js';
import { createStudyService, type StudyService } from '../audience/study-service.js';
import type { Parts } from './parts.js';

export const wireStudies = (
  { settings, stores }: Parts,
  { directories, audienceUrl }: { readonly directories: Directories; readonly audienceUrl: () => string },
): StudyService =>
  createStudyService({
    database: stores.database,
    environment: settings.VH_ENV,
    findProjectOwner: directories.findProjectOwner,
    liteEnabled: async (organizationId) => (await directories.organizations.get(organizationId))?.liteEnabled ?? false,
    audienceUrl,
  });
