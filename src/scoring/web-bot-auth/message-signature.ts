/**
 * HTTP message signatures (RFC 9421) over what the survey reported of a request, read and verified by `structured-headers` and `http-message-sig`.
 * Nothing is thrown.
 */
import { verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { isSignatureError, verifySignature } from 'http-message-sig';
import {
  parseDictionary,
  serializeByteSequence,
  serializeDictionary,
  serializeInnerList,
  type Dictionary,
  type InnerList,
} from 'structured-headers';
import type { TargetUri } from './target-uri.js';

export interface SignedRequest {
  readonly method: string;
  readonly target: TargetUri;
  /** The header Signature-Agent, where one was sent. */
  readonly agent: string | undefined;
}

export interface MessageSignature {
  readonly label: string;
  readonly covered: InnerList;
  readonly bytes: ArrayBuffer;
}

/** Why a signature does not verify: it is wrong, or `unknown` because it covers what cannot be rebuilt. */
export interface SignatureProblem {
  readonly kind: 'invalid' | 'unknown';
  readonly problem: string;
}

const algorithm = 'ed25519';
const signatureBytes = 64;
const verifyInBackground = promisify(verify);

/**
 * Reads a dictionary of structured fields (RFC 9651) in canonical form, spaces aside, so that no two texts pass for one signature:
 * neither a repeated key nor odd base64 does. null for any other text.
 */
export function readDictionary(text: string): Dictionary | null {
  const squeeze = (written: string): string => written.replace(/[ \t]/g, '');
  try {
    const read = parseDictionary(text);
    return squeeze(serializeDictionary(read)) === squeeze(text) ? read : null;
  } catch {
    return null;
  }
}

/** null where the signature is by this key over this request. When it was made is the caller’s to judge. */
export async function findSignatureProblem(
  { method, target, agent }: SignedRequest,
  { label, covered, bytes }: MessageSignature,
  key: KeyObject,
): Promise<SignatureProblem | null> {
  const isReported = (name: unknown): boolean =>
    typeof name !== 'string' || name.startsWith('@') || (name === 'signature-agent' && agent !== undefined);
  const [components, parameters] = covered;
  if (!components.every(([name]) => isReported(name))) return unknown('It covers a header that was not sent along.');
  try {
    const fields = [
      { name: 'signature-input', value: `${label}=${serializeInnerList(covered)}` },
      { name: 'signature', value: `${label}=${serializeByteSequence(bytes)}` },
      ...(agent === undefined ? [] : [{ name: 'signature-agent', value: agent }]),
    ];
    const verifier = {
      algorithm,
      verify: async (data: Uint8Array, signature: Uint8Array) =>
        signature.length === signatureBytes && verifyInBackground(null, data, key, signature),
    };
    await verifySignature(
      { kind: 'request', method, targetUri: target.text, requestTarget: target.path + target.query, fields },
      {
        label,
        // The caller judges times: at its creation, every signature is in force.
        policy: {
          algorithms: [algorithm],
          requiredComponents: [],
          requiredParameters: [],
          now: Number(parameters.get('created')),
        },
        resolveVerifier: () => verifier,
      },
    );
    return null;
  } catch (error) {
    const code = isSignatureError(error) ? error.code : null;
    const message = error instanceof Error ? error.message : String(error);
    if (code === 'UnsupportedFeature') return unknown(`It cannot be rebuilt: ${message}.`);
    if (code === 'VerificationFailed') return invalid('The signature is not by that key over this request.');
    return invalid(`The signature is malformed: ${message}.`);
  }
}

const invalid = (problem: string): SignatureProblem => ({ kind: 'invalid', problem });
const unknown = (problem: string): SignatureProblem => ({ kind: 'unknown', problem });
