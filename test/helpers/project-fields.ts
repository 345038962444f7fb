/** Writes a project’s fields as they are stored, past the checks of its routes. */
import type { ProjectFields } from '../../src/contract/project.js';
import type { Database } from '../../src/stores/database/port.js';

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
