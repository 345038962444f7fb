import type { KeyCaller } from '../../src/kernel/caller.js';

/** A live key of `proj_1` in `org_1` that may do nothing yet. */
export const makeKeyCaller = (fields: Partial<KeyCaller> = {}): KeyCaller => ({
  kind: 'key',
  keyId: 'key_1',
  lineage: 'key_1',
  organizationId: 'org_1',
  projectId: 'proj_1',
  scopes: [],
  limits: { perMinute: 1, perDay: 1 },
  isTest: false,
  isDemo: false,
  diagnosticsEnabled: false,
  ...fields,
});
