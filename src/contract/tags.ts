/** Purposes of the groups of operations in the API document, in reading order. A route's tag must be listed here. */
export const tagDescriptions = {
  Scoring: 'Risk, duplication and independence of a respondent’s session, and the evidence behind a score.',
  Thresholds: 'Simulated and recommended thresholds.',
  Reports: 'Scores and outcomes by source and day, and calibration.',
  Outcomes: 'Outcomes of scored sessions, which later scores use as history.',
  Sessions: 'Verification of a respondent in the widget: a session, its envelope, its result.',
  'Hosted page': 'Links to a verification page of the service, without an embed.',
  Tokens: 'Validation of the tokens of verified sessions by your backend.',
  Webhooks: 'Your endpoints for events, their deliveries, and replays.',
  Projects: 'Studies or sites of an organization, each with thresholds, branding and origins.',
  'API keys': 'Keys for backends: create, limit, rotate and revoke them.',
  'OAuth clients': 'Clients with short-lived, scoped access tokens, such as agents.',
  Organizations: 'Settings that all projects of an organization share, and the audit trail.',
  Studies: 'Samples of verified respondents for a survey.',
  Suppliers: 'Panels that send respondents: secrets, redirects and postbacks.',
  Supply: 'Open studies, as suppliers see them.',
  Public: 'Endpoints for browsers without a credential, limited by IP address, project and origin.',
} as const satisfies Readonly<Record<string, string>>;
