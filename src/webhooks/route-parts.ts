/** What the routes of webhooks have in common: paths, access, and whose webhook a path names. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../http/access-declaration.js';
import { organizationOf } from '../http/access.js';
import type { WebhookOwner } from './webhook-store.js';

export const tags = ['Webhooks'];
export const collection = '/projects/:projectId/webhooks';
export const item = `${collection}/:webhookId`;

export const WebhookParams = Type.Object({
  projectId: Type.String({ maxLength: 128 }),
  webhookId: Type.String({ maxLength: 128 }),
});

/** Reading and securing stays open when a trial has ended; what makes new work does not. */
export const reading = {
  credential: 'dashboard-or-key',
  role: 'member',
  scope: 'webhooks:read',
  project: 'projectId',
  afterTrial: true,
} as const satisfies Access;
export const writing = {
  credential: 'dashboard-or-key',
  role: 'admin',
  scope: 'webhooks:write',
  project: 'projectId',
} as const satisfies Access;

export const ownerOf = (request: FastifyRequest): WebhookOwner => ({
  organizationId: organizationOf(request),
  projectId: (request.params as { projectId: string }).projectId,
});
