/** Request examples of webhooks in the API document. They work as they stand against the demo organization. */
import type { Recovery, SecretRotation, WebhookChange, WebhookCreation } from '../contract/webhook.js';

export const examples = {
  create: {
    url: 'https://hooks.example.com/verifyhuman',
    events: ['verification.completed', 'monitoring.flagged'],
    description: 'Survey backend',
  },
  change: { events: ['verification.completed'], payloadVersion: 'v2', enabled: true },
  rotate: { overlapHours: 24 },
  recover: { since: '2026-11-01T00:00:00Z' },
} as const satisfies {
  create: WebhookCreation;
  change: WebhookChange;
  rotate: SecretRotation;
  recover: Recovery;
};
