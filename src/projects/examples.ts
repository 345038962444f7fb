/** Request examples of administration in the API document. They work as they stand against the demo organization. */
import type { KeyChange, KeyCreation } from '../contract/api-key.js';
import type { OrganizationChange, SettingsChange } from '../contract/organization.js';
import type { ProjectChange, ProjectCreation } from '../contract/project.js';

export const examples = {
  provision: {
    name: 'Wave 7, Germany',
    externalId: 'wave-7-de',
    issueApiKey: true,
    allowedOrigins: ['https://survey.example.com', '*.panel.example.com'],
    config: { maxRetries: 2 },
  },
  create: {
    name: 'Wave 8, France',
    description: 'Consumer panel',
    customThresholds: { liveness: 0.75, uniqueness: 0.9 },
    branding: { companyName: 'Example Research', primaryColor: '#0a6c74' },
  },
  patch: {
    config: { liteConfig: { reviewLow: 35, blockThreshold: 80, perSource: { 'supplier-7': { blockThreshold: 70 } } } },
  },
  createKey: { name: 'Backend', expiresInDays: 90 },
  changeKey: { rateLimits: { perMinute: 12_000, perDay: 5_000_000 } },
  // Empty, so that whoever runs the examples one after the other is not kept out by one of them.
  settings: { allowedDomains: [] },
  organization: { settings: { allowedDomains: [] } },
} as const satisfies {
  provision: ProjectCreation;
  create: ProjectCreation;
  patch: Omit<ProjectChange, 'name'>;
  createKey: KeyCreation;
  changeKey: KeyChange;
  settings: SettingsChange;
  organization: OrganizationChange;
};
