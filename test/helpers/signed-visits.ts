/**
 * Visits of an agent that signs them, for tests of Web Bot Auth: by another implementation of the standard, or by hand, right or wrong.
 */
import { createPublicKey, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import type { WebBotAuth } from '../../src/contract/score.js';
import { createAgentVerifier } from '../../src/scoring/web-bot-auth/web-bot-auth.js';
import { computeThumbprint } from '../../src/scoring/web-bot-auth/trusted-keys.js';

export const nowMs = 1_800_000_000_000;
export const nowSeconds = nowMs / 1_000;
export const origins = ['https://survey.example', '*.panel.example'];
export const targetUri = 'https://survey.example/s/7?rid=1';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
export const jwk = publicKey.export({ format: 'jwk' });
export const keyid = computeThumbprint(publicKey);
export const verifier = createAgentVerifier({ trustedKeys: [{ agent: 'Example Agent', jwk }], now: () => nowMs });

/** Signs as another implementation does. */
export async function signIndependently({
  url = targetUri,
  agent,
  key = privateKey,
  created = nowMs - 1_000,
  expires = nowMs + 60_000,
  components,
}: {
  url?: string;
  agent?: string;
  key?: KeyObject;
  created?: number;
  expires?: number;
  components?: string[];
} = {}): Promise<WebBotAuth> {
  const sent: Record<string, string> = agent === undefined ? {} : { 'signature-agent': agent };
  const signed = await httpbis.signMessage(
    {
      key: { id: computeThumbprint(createPublicKey(key)), sign: async (data) => sign(null, data, key) },
      name: 'sig1',
      fields: components ?? ['@authority', ...Object.keys(sent)],
      params: ['created', 'keyid', 'expires', 'nonce', 'tag'],
      paramValues: { created: new Date(created), expires: new Date(expires), nonce: randomUUID(), tag: 'web-bot-auth' },
    },
    { method: 'GET', url, headers: sent },
  );
  const headers = {
    signature: String(signed.headers['Signature']),
    'signature-input': String(signed.headers['Signature-Input']),
  };
  return {
    method: 'GET',
    targetUri: url,
    headers: agent === undefined ? headers : { ...headers, 'signature-agent': agent },
  };
}

interface HandSigned {
  parameters?: string;
  components?: string;
  lines?: string;
  agent?: string;
  label?: string;
  key?: KeyObject;
  url?: string;
}

export const inForce = `created=${nowSeconds - 1};expires=${nowSeconds + 60}`;

/** Signs whatever it is told to, right or wrong. */
export function signByHand({
  parameters = `;${inForce};keyid="${keyid}";tag="web-bot-auth"`,
  components = '("@authority")',
  lines = '"@authority": survey.example',
  agent,
  label = 'sig1',
  key = privateKey,
  url = targetUri,
}: HandSigned = {}): WebBotAuth {
  const signature = sign(null, Buffer.from(`${lines}\n"@signature-params": ${components}${parameters}`), key).toString(
    'base64',
  );
  const headers = { signature: `${label}=:${signature}:`, 'signature-input': `${label}=${components}${parameters}` };
  return {
    method: 'GET',
    targetUri: url,
    headers: agent === undefined ? headers : { ...headers, 'signature-agent': agent },
  };
}
