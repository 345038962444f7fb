/** An organization, its settings and its quota. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from './common.js';
import { ConsentSettings } from './consent.js';
import { OriginPatterns } from './project.js';
import { tiers } from './project-parts.js';

/** Verifications a month of an organization on trial; others have no end to theirs unless one is set. */
export const trialMonthlyQuota = 100_000;

export const OrganizationSettings = Type.Object({
  allowedDomains: OriginPatterns,
  consent: Type.Required(Type.Object(ConsentSettings.properties)),
});
export type OrganizationSettings = Static<typeof OrganizationSettings>;

/** Omitted fields stay unchanged. Null, like an empty list, allows no origin outside of development. */
export const SettingsChange = Type.Object({
  allowedDomains: Type.Optional(Type.Unsafe<string[] | null>({ ...OriginPatterns, type: ['array', 'null'] })),
  consent: Type.Optional(ConsentSettings),
});
export type SettingsChange = Static<typeof SettingsChange>;

export const OrganizationChange = Type.Object({ settings: SettingsChange });
export type OrganizationChange = Static<typeof OrganizationChange>;

export const OrganizationReply = Type.Object({
  organizationId: Type.String(),
  name: Type.String(),
  tier: StringEnum(tiers),
  liteEnabled: Type.Boolean({ description: 'Whether server-side scoring is switched on.' }),
  monthlyQuota: Nullable(Type.Integer({ description: 'Verifications a month; null: no limit.' })),
  trialEndsAt: Nullable(Timestamp),
  settings: OrganizationSettings,
  createdAt: Timestamp,
});
export type OrganizationReply = Static<typeof OrganizationReply>;
