/** A visit as the customer’s backend and the page would send it, with what is true of it. */
import { possibleInput } from '../possible-input.js';
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import type { PanelSession } from '../panel/sessions.js';
import type { Connection } from './connections.js';
import type { Traces } from './drivers.js';
import type { Behavior } from './hands.js';
import { bodyAt, type Machine } from './machines.js';
import { dayMs, startMs, type Study, type Supplier } from './market.js';
import { drawOutcomes } from './outcomes.js';
import type { Locale } from './people.js';
import { offsetOf } from './places.js';
import { digest, type Random } from './random.js';

export interface Visit {
  readonly atMs: number;
  readonly study: Study;
  readonly supplier: Supplier;
  readonly subSource: string;
  readonly respondent: string;
  readonly machine: Machine;
  readonly connection: Connection;
  readonly locale: Locale;
  readonly traces: Traces;
  readonly behavior: Behavior;
  readonly probe: 'none' | 'load' | 'full';
  /** Private windows have a token of their own and leave the browser’s as it is. */
  readonly storage: 'kept' | 'private' | 'cleared';
  /** The agent of the request where it is another than the page’s. */
  readonly headerAgent?: string;
  readonly bareTransport?: boolean;
  readonly truth: PanelSession['truth'];
}

const sdk = '1.0.0';
/** Safari forgets what scripts stored after a week without a visit. */
const forgetfulMs = 7 * dayMs;

export function toSession(random: Random, visit: Visit, sessionId: string): PanelSession {
  const { atMs, study, supplier, machine, connection, respondent } = visit;
  const { sends } = supplier;
  const { body, agent } = bodyAt(random, machine, Math.floor((atMs - startMs) / (7 * dayMs)));
  const sent = visit.headerAgent ?? agent;
  const attempts = random.int(1, 40);
  const token = tokenAt(random, visit);
  return {
    atMs: Math.round(atMs),
    truth: visit.truth,
    location: connection.location,
    outcomes: drawOutcomes(random, visit, sessionId),
    probes: visit.probe === 'none' ? [] : messagesOf(random, visit, sessionId, { body, sent, ...token }),
    request: {
      sessionId,
      clientIp: connection.ip,
      sourceId: supplier.id,
      studyId: study.id,
      ...(random.chance(sends.agent) ? { userAgent: sent } : {}),
      ...(sends.subSource ? { subSourceId: visit.subSource } : {}),
      ...(random.chance(sends.country) ? { declaredCountry: study.country } : {}),
      ...(random.chance(sends.respondent) ? { respondentId: digest(respondent, 64) } : {}),
      ...(sends.deviceHash
        ? { deviceHash: digest(supplier.id === 'panel-a' ? token.token : `${machine.hardware} ${machine.version}`, 64) }
        : {}),
      ...(sends.stats && random.chance(0.6)
        ? {
            respondentStats: {
              attempts,
              completes: Math.floor(attempts * random.between(0.2, 0.8)),
              reconciliationRate: visit.truth.fraud && random.chance(0.3) ? 0.2 : 0.02,
            },
          }
        : {}),
    },
  };
}

/** In the order of time: what the browser has in store, and what it keeps. */
function tokenAt(
  random: Random,
  { machine, storage, atMs }: Visit,
): { readonly token: string; readonly kept: boolean } {
  const forgets =
    machine.body.gfx.vendor === 'Apple Inc.' && machine.usedMs !== null && atMs - machine.usedMs > forgetfulMs;
  const fresh = random.hex(32);
  if (storage === 'private') return { token: fresh, kept: false };
  if (forgets || storage === 'cleared') machine.token = fresh;
  const kept = machine.usedMs !== null && machine.token !== fresh;
  machine.usedMs = atMs;
  return { token: machine.token, kept };
}

interface Shown {
  readonly body: Machine['body'];
  readonly sent: string;
  readonly token: string;
  readonly kept: boolean;
}

function messagesOf(
  random: Random,
  visit: Visit,
  sessionId: string,
  { body, sent: agent, token, kept }: Shown,
): PanelSession['probes'] {
  const { machine, locale, traces, study, behavior, atMs } = visit;
  const ms = behavior.ms ?? 0;
  const common = { v: 1 as const, sdk, projectKey: 'pk_second', sessionId, nonce: random.hex(24) };
  const transport: ProbeTransport =
    visit.bareTransport === true
      ? { userAgent: agent, acceptLanguage: null, hintPlatform: null, hintMobile: null }
      : {
          userAgent: agent,
          acceptLanguage: locale.languages
            .map((language, n) => (n === 0 ? language : `${language};q=0.${Math.max(1, 10 - n)}`))
            .join(','),
          hintPlatform: machine.hints?.platform ?? null,
          hintMobile: machine.hints?.mobile ?? null,
        };
  const load: ProbeBody = {
    ...common,
    seq: 0,
    phase: 'load',
    at: Math.round(atMs - ms + random.normal(0, random.chance(0.04) ? 400_000 : 900)),
    up: random.int(250, 6_000),
    ids: { token: random.chance(0.985) ? token : null, kept },
    auto: traces.auto,
    lies: traces.lies,
    gaps: traces.gaps ?? [],
    ...body,
    loc: {
      zone: locale.zone,
      offset: offsetOf(locale.zone, atMs),
      language: locale.language,
      languages: [...locale.languages],
    },
    page: { framed: study.framed, hidden: false, hiddenMs: 0, blurs: 0 },
  };
  if (visit.probe === 'load') return [{ body: load, transport }];
  const hiddenMs = random.chance(0.3) ? Math.round(random.wait(ms / 12)) : 0;
  const update: ProbeBody = {
    ...common,
    seq: random.int(1, 12),
    phase: 'update',
    at: Math.round((load.at ?? atMs) + ms),
    up: load.up + (possibleInput(behavior).ms ?? ms),
    page: { framed: study.framed, hidden: random.chance(0.1), hiddenMs, blurs: hiddenMs > 0 ? random.int(1, 6) : 0 },
    beh: possibleInput(behavior),
    q: study.observed && !study.atEntry ? questionsOf(random, study.questions, ms, behavior) : [],
  };
  return [
    { body: load, transport },
    { body: update, transport },
  ];
}

/** Times of questions that make up the sitting, with what was used for each. */
function questionsOf(
  random: Random,
  count: number,
  ms: number,
  { moves, keys, pastes }: Behavior,
): NonNullable<ProbeBody['q']> {
  const weights = Array.from({ length: count }, () => random.around(1, 0.42));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const typed = random.int(0, count - 1);
  return weights.slice(-50).map((weight, n) => ({
    questionId: `q${n + 1}`,
    timeOnQuestionMs: Math.round((ms * 0.94 * weight) / total),
    mouseMoveCount: Math.round(((moves ?? 0) * weight) / total),
    keyCount: n === typed ? (keys ?? 0) : 0,
    pasteCount: n === typed ? (pastes ?? 0) : 0,
    focusEntries: 1,
    focusExits: 1,
    ended: true,
  }));
}
