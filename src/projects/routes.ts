/** Routes of administration, and the public routes of a project. Text that no database keeps is refused for all of them. */
import type { FastifyInstance } from 'fastify';
import { registerStorableText } from '../http/json-body.js';
import type { AdministrationDeps } from './deps.js';
import { registerKeyRoutes } from './keys/key-routes.js';
import { registerOrganizationRoutes } from './organizations/organization-routes.js';
import { registerProjectRoutes } from './projects/project-routes.js';
import { registerPublicRoutes, type PublicRouteDeps } from './projects/public-routes.js';

export function registerAdministration(app: FastifyInstance, deps: AdministrationDeps & PublicRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerProjectRoutes(scope, deps);
    registerKeyRoutes(scope, deps);
    registerOrganizationRoutes(scope, deps);
    registerPublicRoutes(scope, deps);
  });
}
