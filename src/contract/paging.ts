/** Lists: how a page is asked for. A reply holds its items under their own name and `nextCursor`, null on the last page. */
import { Type, type Static, type TProperties } from 'typebox';
import { pageDefault, pageMax } from '../limits.js';

export const pageFields = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: pageMax, default: pageDefault, description: 'Most items on the page.' }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'nextCursor of the page before.' })),
};

/** The query of a list. An unknown name is refused: an ignored filter would show everything. */
export const ListQuery = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });

export const PageQuery = ListQuery(pageFields);
export type PageQuery = Static<typeof PageQuery>;
