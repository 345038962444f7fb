/**
 * Public keys that a client hands in: each must be complete, of a kind that assertions may be signed with, and public. Only the members that
 * verify are kept.
 */
import { createPublicKey } from 'node:crypto';
import { invalid } from '../kernel/faults.js';
import type { ClientKeySet } from '../contract/oauth.js';
import type { Issue } from '../errors.js';

const rsaBitsMin = 2_048;
const rsaBitsMax = 8_192;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export function readKeySet({ keys }: ClientKeySet): ClientKeySet {
  const issues = keys.flatMap((key, index): readonly Issue[] => {
    const problem = problemOf(key);
    return problem === null ? [] : [{ path: `/jwks/keys/${index}`, message: problem }];
  });
  const kids = keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(kids).size < kids.length || (keys.length > 1 && kids.length < keys.length))
    issues.push({ path: '/jwks/keys', message: 'must each have a kid of their own where there are several.' });
  if (issues.length > 0) throw invalid(issues);
  return {
    keys: keys.map(({ kty, kid, crv, x, y, n, e }) => ({
      kty,
      ...Object.fromEntries(
        Object.entries(kty === 'RSA' ? { kid, n, e } : { kid, crv, x, y }).filter(([, value]) => value !== undefined),
      ),
    })),
  };
}

function problemOf(key: ClientKeySet['keys'][number]): string | null {
  if (privateMembers.some((member) => member in key))
    return 'holds a private key, which is to be thrown away now: send the public half only.';
  if (key.kty === 'OKP' && key.crv !== 'Ed25519') return 'must have the crv Ed25519.';
  if (key.kty === 'EC' && key.crv !== 'P-256') return 'must have the crv P-256.';
  try {
    const { modulusLength } = createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyDetails ?? {};
    const isFit = modulusLength === undefined || (modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax);
    return isFit ? null : `must have ${rsaBitsMin} to ${rsaBitsMax} bits.`;
  } catch {
    return 'is no valid public key.';
  }
}
