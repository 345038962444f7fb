/** Whether the postbacks of suppliers go out, as the organization sees it. */
import { Type, type Static } from 'typebox';
import { Nullable } from './common.js';
import { ListQuery, pageFields } from './paging.js';
import { missedCountMax, WebhookHealth } from './webhook.js';

export const PostbackHealthQuery = ListQuery({
  ...pageFields,
  supplierId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only this supplier.' })),
});

export const PostbackHealth = Type.Object({
  retrying: Type.Integer({
    minimum: 0,
    description: `Postbacks whose last attempt failed and that are tried again, at most ${missedCountMax}.`,
  }),
  exhausted: Type.Integer({
    minimum: 0,
    description: `Postbacks that are not tried again, at most ${missedCountMax}.`,
  }),
  health: WebhookHealth,
});
export type PostbackHealth = Static<typeof PostbackHealth>;

export const PostbackHealthPage = Type.Object({
  suppliers: Type.Array(
    Type.Object({
      supplierId: Type.String(),
      name: Type.String(),
      sourceId: Type.String(),
      postbacks: PostbackHealth,
    }),
    { description: 'Those that have a postbackUrl; a page may have fewer of them than its limit.' },
  ),
  nextCursor: Nullable(Type.String()),
});
export type PostbackHealthPage = Static<typeof PostbackHealthPage>;
