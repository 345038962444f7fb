/** What the groups of operations in the API document are for, in the order in which a reader meets them. A route's tag stands here. */
export const tagDescriptions = {
  Scoring: 'Risk, duplication and independence of a respondent’s session, and the evidence behind a score.',
  Thresholds:
    'Thresholds tested before they change: the mix that others would have given, and those that labels support.',
  Reports: 'What was scored by source and day, what became of it, and whether scores mean what they say.',
  Outcomes: 'What became of sessions after they were scored; it is the history that later scores read.',
  Sessions: 'Verification of a respondent in the widget: a session, its envelope, its result.',
  'Hosted page': 'Links to a verification page that the service itself serves, for whoever embeds nothing.',
  Tokens: 'What your backend trusts: validation of the token that a verified session ends with.',
  Webhooks: 'Addresses of yours that receive events, the deliveries to them, and sending again.',
  Projects: 'Studies or sites of an organization, each with thresholds, branding and origins of its own.',
  'API keys': 'Keys that backends call with: made, limited, replaced and revoked.',
  'OAuth clients': 'Clients that call with short-lived access tokens of few scopes in place of a key, such as agents.',
  Organizations: 'Settings that all projects of an organization share, and the record of who changed what.',
  Studies: 'Samples of verified respondents for a survey: asked for, fielded, counted and exported.',
  Suppliers: 'Panels that send respondents: their secrets, and where respondents go back to.',
  Supply: 'What suppliers see of open studies.',
  Public: 'What browsers read without a credential; limited by address, project and origin.',
} as const satisfies Readonly<Record<string, string>>;
