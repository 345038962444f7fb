/**
 * Records of invented scores, as the service makes them: gathered, counted in memory, judged by the core, packed.
 */
import { createHash } from 'node:crypto';
import { scoreBodies } from '../../bench/score-bodies.js';
import type { CountFacts, ScoreFacts } from '../../src/contract/facts.js';
import type { RecordedVerdict } from '../../src/contract/pool.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import type { ScoreRequest } from '../../src/contract/score.js';
import { idAt } from '../../src/crypto/ids.js';
import { parseAddress } from '../../src/net/address.js';
import { packMessage } from '../../src/record/message.js';
import { joinParts } from '../../src/record/codec.js';
import { appendCounted, openFacts, packBase, packOutcome } from '../../src/record/record.js';
import type { Counted, ScoreBase } from '../../src/record/types.js';
import { gatherBase } from '../../src/scoring/gather.js';
import { normalizeScoreRequest } from '../../src/scoring/score-request.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { cleanCounts, humanTransport, scoredAtMs } from './facts.js';

const idOf = (kind: 'receipt' | 'organization' | 'project' | 'key', n: number): string =>
  idAt(kind, scoredAtMs, createHash('sha256').update(String(n)).digest());
const refOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);

/** Facts that were gathered, and an answer of the counters, as they were before they were put together. */
function pathOfCounts(facts: ScoreBase['facts'], counts: CountFacts | null): { base: ScoreBase; counted: Counted } {
  const owner = { receiptId: facts.receiptId, organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1' };
  const trace = {
    nowMs: facts.scoredAtMs,
    session: refOf(facts.sessionId),
    scope: refOf('scope'),
    respondent: null,
    device: null,
    address: refOf('address'),
    prefix: refOf('prefix'),
    source: refOf('source'),
    deviceClass: 'windows/chrome',
    addressShared: false,
    host: null,
  };
  const subjects = { respondent: refOf('respondent'), source: refOf('source'), subSource: null };
  const value = { n: 12.5, fraud: 0.25, clawbacks: 0, asOfDay: 20_500, young: [[3, 2]] as const };
  return {
    base: {
      owner: { ...owner, isTest: false, isDemo: false },
      sourceId: 'source',
      studyId: null,
      modelVersion: refOf('model'),
      trace,
      subjects,
      facts: { ...facts, prefix: trace.prefix },
    },
    counted: {
      supersedes: null,
      device: null,
      signatureFresh: true,
      complete: counts !== null,
      history: { respondent: value, source: null, subSource: null },
      probe: null,
      counts: counts ?? cleanCounts(),
    },
  };
}

/** Splits facts into those known before and those counted. */
export function splitFacts(facts: ScoreFacts): { base: ScoreBase; counted: Counted } {
  const {
    counts,
    probe,
    probeRead: _read,
    deviceKnown,
    token = null,
    history: _history,
    ...rest
  } = structuredClone(facts);
  const { base, counted } = pathOfCounts(rest, counts);
  const pages = probe === null ? [] : [probe, ...(probe.others ?? [])];
  const messages = pages.map(({ body, transport }) => ({ load: packMessage({ body, transport }), update: null }));
  const stored = { pages: messages, device: token, sketch: null, bands: ['not kept'] };
  return { base, counted: { ...counted, device: deviceKnown ? 'd1' : null, probe: probe === null ? null : stored } };
}

/** The verdict of an inconspicuous session. */
export const cleanVerdict: RecordedVerdict = {
  ...{ uncapped: 3, caps: [], agentPolicy: null, stepUpThreshold: 40, modelVersion: '0', score: 3 },
  ...{ recommendation: 'allow', verdictClass: 'unknown', duplicateBand: 'none', independence: 100, classification: [] },
};

/** The record of a score as the service packs it. */
export const recordOf = (base: ScoreBase, counted: Counted | null, verdict: RecordedVerdict): Uint8Array =>
  joinParts(appendCounted(packBase(base), counted), packOutcome(verdict, { supersedes: counted?.supersedes ?? null }));

export interface InventedScore {
  readonly facts: Uint8Array;
  readonly outcome: Uint8Array;
  readonly record: Uint8Array;
  readonly message: Uint8Array | null;
}

/** Scores of the bench’s bodies, every other one with a probe: its message, and two candidates that look alike. */
export const scoreInvented = (count: number): readonly InventedScore[] =>
  Array.from({ length: count }, (_, n) => inventScore(n));

function inventScore(n: number): InventedScore {
  const request = normalizeScoreRequest(JSON.parse(scoreBodies.score(n)) as ScoreRequest);
  const address = parseAddress(request.clientIp);
  if (address === null) throw new Error(`not an address: ${request.clientIp}`);
  const base = gatherBase({
    request,
    address,
    location: { country: 'DE', asn: 3320, organization: null, network: 'residential' },
    geography: { country: true, network: true },
    agent: null,
    nowMs: scoredAtMs,
    owner: {
      ...{ receiptId: idOf('receipt', n), organizationId: idOf('organization', 0), projectId: idOf('project', 0) },
      ...{ lineage: idOf('key', 0), isTest: false, isDemo: false },
    },
    liteConfig: undefined,
    assuranceAvailable: 'can_step_up_to_biometric',
    makeRef: (holder, kind, value) => refOf(`${holder}\n${kind}\n${value}`),
    modelVersion: refOf('model'),
  });
  const message = n % 2 === 0 ? messageOf(n) : null;
  const facts = appendCounted(packBase(base), countedOf(n, message));
  const opened: ScoreFacts = openFacts(facts);
  const outcome = packOutcome(recordVerdict(scoreFacts(opened)), opened);
  return { facts, outcome, record: joinParts(facts, outcome), message };
}

function messageOf(n: number): Uint8Array {
  const body = JSON.parse(scoreBodies.probe(n, 'pk_g5uWDMfB7WGEWXoyldqyqA7C')) as ProbeBody;
  const transport = { ...humanTransport, origin: 'https://survey.example', receivedAtMs: scoredAtMs - 3_000 };
  return packMessage({ body, transport });
}

function countedOf(n: number, message: Uint8Array | null): Counted {
  const history = { n: 40 / 3, fraud: 1 / 3, clawbacks: 0, asOfDay: 20_500 };
  const hash = (part: number): string => refOf(`${n} ${part}`).slice(0, 8);
  const terms = Array.from({ length: 16 }, (_, part) => (part === 2 ? null : hash(part)));
  const candidates = [1, 2].map((k) => ({
    ...{ session: refOf(`session ${n} ${k}`), atMs: scoredAtMs - 60_000 * k, respondent: refOf(`respondent ${k}`) },
    ...{
      device: refOf(`device ${k}`),
      prefix: refOf(`prefix ${k}`),
      token: null,
      address: null,
      via: 'similar' as const,
      isRepeat: k === 2,
    },
    sketch: { terms, osFamily: 'windows', browser: 'chrome', browserMajor: 149 },
  }));
  return {
    supersedes: null,
    device: message === null ? null : refOf(`device ${n}`),
    signatureFresh: true,
    complete: true,
    history: { respondent: null, source: history, subSource: history },
    probe:
      message === null
        ? null
        : { pages: [{ load: message, update: null }], device: refOf(`token ${n}`), sketch: null, bands: [] },
    counts: cleanCounts({
      source: { hour: 31, mean: 27.25, variance: 61 / 7, hours: 160 },
      terms:
        message === null
          ? null
          : { total: 51_234, counts: terms.map((term, part) => (term === null ? null : 900 * part)) },
      candidates: message === null ? [] : candidates,
      ...{ sharedAddressHour: 1, sharedAddressDay: 2, hostPeopleHour: null },
    }),
  };
}
