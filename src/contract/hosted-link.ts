/** Links to the hosted verification page. The service puts what a link carries into its sessions; the respondent’s page cannot change it. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, Timestamp, strict } from './common.js';
import { deviceRules } from './project-parts.js';
import { Metadata } from './session.js';

export const linkDaysDefault = 30;
export const linkDaysMax = 365;
export const linkUsesMax = 1_000_000;
/** An address starts at most so many sessions an hour for each use of a link. */
export const linkSessionsPerUse = 10;
/** Days that a link is still known after its end, so that its page can say what happened, and its owner look it up. */
export const deadLinkDays = 30;

export const linkStates = ['alive', 'expired', 'used_up', 'deleted'] as const;
export type LinkState = (typeof linkStates)[number];

export const LinkCreation = Type.Partial(
  Type.Object({
    studyId: CallerId('Your id of the study; every session of the link carries it.'),
    respondentId: CallerId(
      'Your id of the respondent, preferably a salted hash, if the link is for one respondent. Every session carries it.',
    ),
    dataCollector: CallerId('Label of the collector, wave or field site; every session of the link carries it.'),
    metadata: Metadata,
    device: StringEnum(deviceRules, {
      description:
        'Replaces config.deduplication.device for sessions of the link: whether a device that took part is noted, or a duplicate. Default: the setting of the project.',
    }),
    returnUrl: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'URL that the respondent returns to, with vh_token and status added. Use HTTPS; in development, http://localhost is allowed. Its origin must be allowed. Default none: a thank-you page.',
    }),
    expiresInDays: Type.Integer({
      minimum: 1,
      maximum: linkDaysMax,
      description: `Days until the link ends. Default ${linkDaysDefault}.`,
    }),
    maxUses: Type.Integer({
      minimum: 1,
      maximum: linkUsesMax,
      description: `Maximum passes. One IP address starts at most ${linkSessionsPerUse} sessions per hour for each. Default: no limit.`,
    }),
  }),
  strict,
);
export type LinkCreation = Static<typeof LinkCreation>;

const url = Type.String({ description: 'URL to send to the respondent.' });

export const CreatedLinkReply = Type.Object({ linkId: Type.String(), url, expiresAt: Timestamp });
export type CreatedLinkReply = Static<typeof CreatedLinkReply>;

export const LinkReply = Type.Object({
  linkId: Type.String(),
  url,
  studyId: Nullable(Type.String()),
  respondentId: Nullable(Type.String()),
  dataCollector: Nullable(Type.String()),
  device: Nullable(StringEnum(deviceRules, { description: 'null: the setting of the project.' })),
  metadata: Metadata,
  returnUrl: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  maxUses: Nullable(Type.Integer()),
  uses: Type.Integer({ minimum: 0, description: 'Passes, and sessions to be reviewed.' }),
  sessions: Type.Integer({ minimum: 0, description: 'Sessions that were started through it, retries among them.' }),
  state: StringEnum(linkStates, { description: 'State of the link. Only an alive link starts sessions.' }),
});
export type LinkReply = Static<typeof LinkReply>;

export const LinkPage = Type.Object({ links: Type.Array(LinkReply), nextCursor: Nullable(Type.String()) });
