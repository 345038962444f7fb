/** The invented month as the service would have recorded it: its facts follow from the seed and the owner, so that a repetition adds nothing. */
import { createHash } from 'node:crypto';
import { idAt } from '../../src/crypto/ids.js';
import type { MakeRef } from '../../src/crypto/master-key.js';
import { parseAddress } from '../../src/net/address.js';
import { appendCounted, packBase } from '../../src/record/record.js';
import { gatherBase } from '../../src/scoring/gather.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { createRandom } from '../../workers/seeded-random.js';
import { inventSessions, type InventedSession } from './invented-sessions.js';

const dayMs = 86_400_000;
/** The month lies so far before that its completions have stood for as long as they can be reversed. */
const endsDaysAgo = 62;

/** The month before a time, milliseconds since 1970. */
export const inventMonth = (beforeMs: number): readonly InventedSession[] =>
  inventSessions(1_200, Math.floor(beforeMs / dayMs - endsDaysAgo) * dayMs, createRandom(20_261));

export interface MonthOwner {
  readonly organizationId: string;
  readonly projectId: string;
  /** The key that may read the evidence of the receipts. */
  readonly lineage: string;
}

/** The id of a session’s receipt and its packed facts. */
export function recordSession(
  { atMs, request, network, counts }: InventedSession,
  owner: MonthOwner,
  makeRef: MakeRef,
): { readonly receiptId: string; readonly facts: Uint8Array } {
  const address = parseAddress(request.clientIp);
  if (address === null) throw new Error(`not an address: ${request.clientIp}`);
  const digest = createHash('sha256').update(`${owner.projectId}\n${request.sessionId}`).digest();
  const receiptId = idAt('receipt', atMs, digest);
  const base = gatherBase({
    ...{ request, address, makeRef, modelVersion },
    location: { country: 'DE', asn: null, organization: null, network },
    geography: { country: true, network: true },
    agent: null,
    nowMs: atMs,
    owner: { ...owner, receiptId },
    liteConfig: undefined,
    assuranceAvailable: 'can_step_up_to_biometric',
  });
  const facts = appendCounted(packBase(base), {
    supersedes: null,
    counts,
    probe: null,
    device: null,
    signatureFresh: true,
    complete: true,
    history: { respondent: null, source: null, subSource: null },
  });
  return { receiptId, facts };
}
