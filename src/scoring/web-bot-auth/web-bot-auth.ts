/**
 * Says whether a respondent is an agent that we trust, from the HTTP message signature (RFC 9421, tag web-bot-auth) that it sent to the survey.
 *
 *   verified    a trusted key signed this request to one of the project’s origins, and the signature is in force
 *   invalid     there is such a signature and it is wrong: malformed, expired, for another site, or not by that key
 *   unverified  it cannot be judged: unknown key, other algorithm, parts we were not given, no origins to compare with
 *
 * Nothing is fetched and nothing is thrown. A signature is good once: the caller remembers `signature` until `expiresAtMs`.
 */
import { createHash } from 'node:crypto';
import { isInnerList, type Dictionary, type InnerList } from 'structured-headers';
import type { AgentFacts } from '../../contract/facts.js';
import type { WebBotAuth } from '../../contract/score.js';
import { originMatches, parseOriginPattern } from '../../net/origin-pattern.js';
import { findSignatureProblem, readDictionary, type SignedRequest } from './message-signature.js';
import { parseTargetUri, type TargetUri } from './target-uri.js';
import { importTrustedKeys, type ImportedAgentKey, type TrustedAgentKey } from './trusted-keys.js';

export { readTrustedAgentKeys, type TrustedAgentKey } from './trusted-keys.js';

/** Facts of an agent, its name null unless verified, and what stands for its signature. */
export interface AgentVerdict extends AgentFacts {
  /** Stands for this (key, signature) pair; null unless verified. */
  readonly signature: string | null;
  /** When the signature goes out of force by itself; null unless verified. */
  readonly expiresAtMs: number | null;
}

export interface AgentVerifierDeps {
  readonly trustedKeys: readonly TrustedAgentKey[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface VerifyOptions {
  /** Takes a signature for any site. For development only: otherwise a signature made for another site could be replayed here. */
  readonly anyAuthority?: boolean;
}

export interface AgentVerifier {
  /** `allowedOrigins` are the project’s origin patterns; one that does not parse matches nothing. */
  verify(input: WebBotAuth, allowedOrigins: readonly string[], options?: VerifyOptions): Promise<AgentVerdict>;
}

const tag = 'web-bot-auth';
const lifetimeSecondsMax = 86_400;
const clockSkewSecondsMax = 60;
const signaturesMax = 4;
const componentsMax = 32;

const fail =
  (outcome: 'invalid' | 'unverified') =>
  (reason: string): AgentVerdict => ({ outcome, agent: null, reason, signature: null, expiresAtMs: null });
const invalid = fail('invalid');
const unverified = fail('unverified');

/** Throws where a trusted key is not usable. */
export function createAgentVerifier({ trustedKeys, now }: AgentVerifierDeps): AgentVerifier {
  const keys = importTrustedKeys(trustedKeys);
  return {
    async verify({ method, targetUri, headers }, allowedOrigins, { anyAuthority = false } = {}) {
      const inputs = readDictionary(headers['signature-input']);
      const signatures = readDictionary(headers.signature);
      if (inputs === null || signatures === null) return invalid('The signature headers are malformed.');
      const target = parseTargetUri(targetUri);
      if (target === null) return invalid('targetUri is not a plainly written absolute http or https URI.');
      const tagged = [...inputs].filter(
        (entry): entry is [string, InnerList] => isInnerList(entry[1]) && entry[1][1].get('tag') === tag,
      );
      if (tagged.length === 0) return unverified(`No signature has the tag ${tag}.`);
      if (tagged.length > signaturesMax) return invalid(`More than ${signaturesMax} signatures have the tag ${tag}.`);

      const misplaced = anyAuthority ? null : refuseAuthority(target, allowedOrigins);
      const verdicts = await Promise.all(
        tagged.map(([label, covered]) =>
          judge({
            label,
            covered,
            signatures,
            keys,
            misplaced,
            nowSeconds: now() / 1_000,
            request: { method, target, agent: headers['signature-agent'] },
          }),
        ),
      );
      const pick = (outcome: AgentVerdict['outcome']) => verdicts.find((verdict) => verdict.outcome === outcome);
      return pick('verified') ?? pick('invalid') ?? pick('unverified') ?? unverified('No signature could be judged.');
    },
  };
}

interface Case {
  readonly label: string;
  readonly covered: InnerList;
  readonly signatures: Dictionary;
  readonly keys: ReadonlyMap<string, ImportedAgentKey>;
  /** The verdict if the request went to the wrong site; null otherwise. */
  readonly misplaced: AgentVerdict | null;
  readonly nowSeconds: number;
  readonly request: SignedRequest;
}

async function judge({
  label,
  covered,
  signatures,
  keys,
  misplaced,
  nowSeconds,
  request,
}: Case): Promise<AgentVerdict> {
  const member = signatures.get(label);
  const bytes = member === undefined || isInnerList(member) ? undefined : member[0];
  if (!(bytes instanceof ArrayBuffer)) return invalid(`The signature labelled ${label} is missing.`);
  const { keyid, alg = 'ed25519', created, expires } = Object.fromEntries(covered[1]);
  if (typeof keyid !== 'string') return invalid('The signature names no keyid.');
  if (alg !== 'ed25519') return unverified('The signature is not by Ed25519, the one algorithm that is judged.');
  const trusted = keys.get(keyid);
  if (trusted === undefined) return unverified('The signing key is not among the trusted ones.');

  const problem = findTimeProblem(created, expires, nowSeconds) ?? findCoverageProblem(covered, request);
  if (problem !== null) return invalid(problem);
  const mismatch = await findSignatureProblem(request, { label, covered, bytes }, trusted.key);
  if (mismatch !== null) return mismatch.kind === 'invalid' ? invalid(mismatch.problem) : unverified(mismatch.problem);
  return (
    misplaced ?? {
      outcome: 'verified',
      agent: trusted.agent,
      reason: null,
      signature: createHash('sha256').update(`${keyid}.`).update(new Uint8Array(bytes)).digest('base64url'),
      expiresAtMs: Number(expires) * 1_000,
    }
  );
}

function refuseAuthority({ scheme, authority }: TargetUri, allowedOrigins: readonly string[]): AgentVerdict | null {
  if (allowedOrigins.length === 0)
    return unverified('The project allows no origins, so the site that the signature was made for cannot be checked.');
  const patterns = allowedOrigins.map(parseOriginPattern).flatMap((parsed) => (parsed.ok ? [parsed.pattern] : []));
  if (originMatches(`${scheme}://${authority}`, patterns)) return null;
  return invalid('The signature was made for a site that is not one of the project’s origins.');
}

function findTimeProblem(created: unknown, expires: unknown, nowSeconds: number): string | null {
  if (typeof created !== 'number' || typeof expires !== 'number')
    return 'The signature needs created and expires, in whole seconds.';
  if (created > nowSeconds + clockSkewSecondsMax) return 'The signature was created in the future.';
  if (expires <= nowSeconds) return 'The signature has expired.';
  if (expires <= created) return 'The signature expires before it was created.';
  if (expires - created > lifetimeSecondsMax) return 'The signature is in force for more than 24 hours.';
  return null;
}

function findCoverageProblem([components]: InnerList, { agent }: SignedRequest): string | null {
  if (components.length > componentsMax) return `The signature covers more than ${componentsMax} components.`;
  const covers = (name: string) => components.some(([value]) => value === name);
  if (!covers('@authority') && !covers('@target-uri'))
    return 'The signature covers neither @authority nor @target-uri.';
  if (agent !== undefined && !covers('signature-agent'))
    return 'The signature does not cover the Signature-Agent header that was sent.';
  return null;
}
