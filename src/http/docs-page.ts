/** The documentation page under the API root: the OpenAPI document as HTML. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../package-root.js';
import { registerOpen } from './access.js';

export async function serveDocsPage(app: FastifyInstance, path: string): Promise<void> {
  await registerOpen(app, async (scope) => {
    await scope.register(swaggerUi, {
      routePrefix: path,
      // BaseLayout has no Swagger bar at the top.
      uiConfig: { layout: 'BaseLayout', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false },
      theme: {
        title: 'VerifyHuman API',
        favicon: [
          {
            filename: 'mark.svg',
            rel: 'icon',
            sizes: 'any',
            type: 'image/svg+xml',
            content: readFileSync(join(packageRoot, 'src', 'demo', 'page', 'assets', 'mark.svg')),
          },
        ],
      },
      staticCSP: true,
      // On plain http, a browser that upgrades requests would ask for the page's files on a port where nobody listens.
      transformStaticCSP: (policy) => policy.replace(/\s*upgrade-insecure-requests;?/, ''),
    });
  });
}
