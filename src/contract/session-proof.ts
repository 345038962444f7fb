/**
 * A proof of work: the price of a session for an address that makes many. Several small puzzles rather than one large, so that no page has bad
 * luck for long.
 */
import { Type, type Static } from 'typebox';
import { StringEnum } from './common.js';

/** Puzzles of a proof. */
export const proofCount = 8;
/** Base64url of 16 bytes that the service chose and 32 that sign them. */
const token = Type.String({
  pattern: '^[A-Za-z0-9_-]{64}$',
  description: 'Challenge token, valid for one session from one IP address.',
});

export const RequiredProof = Type.Object({
  algorithm: StringEnum(['sha-256']),
  token,
  difficulty: Type.Integer({ minimum: 1, maximum: 32, description: 'Zero bits that each digest begins with.' }),
  count: Type.Integer({ minimum: 1, description: 'How many numbers to find.' }),
  expiresAt: Type.Integer({ description: 'Unix seconds.' }),
});
export type RequiredProof = Static<typeof RequiredProof>;

export const SolvedProof = Type.Object(
  {
    token,
    solution: Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }), {
      minItems: proofCount,
      maxItems: proofCount,
      description:
        'One number n for each i from 0. Hash the token’s last 32 bytes, i and n (4 bytes each, big-endian) with SHA-256. The digest must begin with `difficulty` zero bits.',
    }),
  },
  { description: 'Solution that PROOF_REQUIRED requested.' },
);
export type SolvedProof = Static<typeof SolvedProof>;
