/** Receipts as they were recorded, chained by their hashes, and the signed ends of the chain. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, Timestamp } from './common.js';
import { ListQuery, pageFields } from './paging.js';
import { JsonWebKeySet } from './token.js';

const Seq = (description: string) => Type.Integer({ minimum: 0, description });
const Hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description });
const Bytes = (description: string) => Nullable(Type.String({ description: `${description} Base64.` }));
const Chain = Type.String({ description: 'The project; with ~test behind it for receipts of test keys.' });

const ProjectOfKey = Type.Optional(
  CallerId('The project: needed with an organization key, an access token or a dashboard token, which belong to none.'),
);

export const receiptStates = ['recorded', 'erased', 'expired', 'missing'] as const;

export const ChainedReceipt = Type.Object({
  seq: Seq('Place in the chain, from 1.'),
  hash: Hash('SHA-256 of the hash before it and of `digest`.'),
  digest: Hash('SHA-256 of `salt` and `record`.'),
  state: StringEnum(receiptStates, {
    description:
      'recorded: its content is here. erased: with its respondent. expired: past VH_RECEIPT_RETENTION_DAYS. missing: none of these, so that it was removed.',
  }),
  receiptId: Nullable(Type.String({ description: 'null: erased.' })),
  record: Bytes('Facts and verdict, as signed.'),
  seal: Bytes('The signature of `record`.'),
  salt: Bytes('Random bytes in front of `record`.'),
});
export type ChainedReceipt = Static<typeof ChainedReceipt>;

export const ReceiptChainPage = Type.Object({
  chain: Chain,
  keptSince: Nullable({ ...Timestamp, description: 'Receipts scored before this time are deleted; null: none are.' }),
  previous: Type.Object(
    { seq: Seq('0 before the first receipt.'), hash: Hash('The hash that the first receipt here follows.') },
    { description: 'The end of the chain before the first receipt here.' },
  ),
  receipts: Type.Array(ChainedReceipt),
  nextCursor: Nullable(Type.String()),
});
export type ReceiptChainPage = Static<typeof ReceiptChainPage>;

export const ReceiptHead = Type.Object({
  day: Type.String({ format: 'date', description: 'The day (UTC) at whose end this was the end of the chain.' }),
  seq: Seq('Receipts up to this one are covered.'),
  hash: Hash('The hash of that receipt.'),
  signedAt: Timestamp,
  jws: Type.String({ description: 'A compact JWS (EdDSA) over chain, day, seq and hash.' }),
});
export type ReceiptHead = Static<typeof ReceiptHead>;

export const ReceiptHeadPage = Type.Object({
  chain: Chain,
  heads: Type.Array(ReceiptHead, { description: 'One for each day on which the chain grew, newest first.' }),
  keys: JsonWebKeySet.properties.keys,
  nextCursor: Nullable(Type.String()),
});
export type ReceiptHeadPage = Static<typeof ReceiptHeadPage>;

export const ReceiptChainQuery = ListQuery({ ...pageFields, projectId: ProjectOfKey });
