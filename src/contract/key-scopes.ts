/** Everything that a key can be allowed, by its kind. The console reads it too, so that this file imports nothing. */

/** Anyone may create these keys, so they measure and change nothing. */
const demo = ['lite:write', 'lite:read', 'verifications:write', 'verifications:read'] as const;
const project = [
  ...demo,
  'analytics:read',
  'keys:write',
  'keys:read',
  'webhooks:write',
  'webhooks:read',
  'audience:write',
] as const;
const organization = [...project, 'projects:write', 'projects:read', 'settings:write', 'settings:read'] as const;

export const keyScopes = { demo, project, organization };
