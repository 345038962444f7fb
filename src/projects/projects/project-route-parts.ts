/** What the routes of projects share: tag, path and the access of whoever may create and change a project. */
import { Type } from 'typebox';

export const projectTags = ['Projects'];

export const ProjectParams = Type.Object({
  projectId: Type.String({ maxLength: 128, description: 'Project, also called site key.' }),
});

/** Whoever may create a project may change it. */
export const projectManagement = {
  credential: 'dashboard-or-organization-key',
  role: 'admin',
  scope: 'projects:write',
  oauth: ['projects:write'],
} as const;
