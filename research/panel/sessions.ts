/** A visit as the customer’s backend and the page would send it, with the truth next to it. */
import type { OutcomeEvent } from '../../src/contract/outcome.js';
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import type { ScoreRequest } from '../../src/contract/score.js';
import type { GeoLocation } from '../../src/scoring/network/geography.js';
import type { PanelRates } from './base-rates.js';
import { transportOf } from './devices.js';
import type { Draw } from './draw.js';
import { possibleInput } from '../possible-input.js';
import { answerQuestions } from './hands.js';
import { locate } from './networks.js';
import { drawOutcomes } from './outcomes.js';
import type { Truth, Visit } from './visits.js';

export interface PanelSession {
  readonly atMs: number;
  readonly request: ScoreRequest & { readonly sessionId: string; readonly clientIp: string };
  /** Load and update of the page, in order; none where no probe came. */
  readonly probes: readonly { readonly body: ProbeBody; readonly transport: ProbeTransport }[];
  /** The entry of databases for the address. */
  readonly location: GeoLocation;
  readonly outcomes: readonly OutcomeEvent[];
  readonly truth: Truth;
}

const probeKey = 'pk_panel';
const sdk = '1.0.0';

export function toSession(draw: Draw, rates: PanelRates, visit: Visit, sessionId: string): PanelSession {
  const { atMs, study, supplier, respondentId, machine, address, truth } = visit;
  const wrongCountry = address.network.kind !== 'vpn' && draw.chance(0.015) ? draw.pick(['CA', 'NL', 'FR']) : null;
  return {
    atMs: Math.round(atMs),
    truth,
    location: locate(address, wrongCountry),
    outcomes: drawOutcomes(draw, rates, truth.fraud, sessionId, atMs),
    probes: visit.probed ? messagesOf(draw, visit, sessionId) : [],
    request: {
      sessionId,
      clientIp: address.ip,
      userAgent: visit.transportAgent ?? machine.device.userAgent,
      sourceId: supplier,
      subSourceId: `${supplier}-${hashSlot(truth.operator ?? truth.person)}`,
      studyId: study.id,
      declaredCountry: study.country,
      ...(respondentId === null ? {} : { respondentId }),
      // Two suppliers send a fingerprint of the device, which look-alikes share.
      ...(supplier === 's1' || supplier === 's4' ? { deviceHash: machine.device.fingerprint.padEnd(64, '0') } : {}),
    },
  };
}

/** Sub-suppliers: a handful each. */
const hashSlot = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) % 5;

/** The load message of the page and, after it was used, an update. Those who leave at once send no update. */
function messagesOf(draw: Draw, visit: Visit, sessionId: string): PanelSession['probes'] {
  const { machine, locale, beh, pace, traces, study } = visit;
  const nonce = draw.hex(20);
  const startMs = Math.round(visit.atMs - (beh.ms ?? 60_000));
  const transport: ProbeTransport = {
    ...transportOf(machine.device, visit.acceptLanguage ?? locale.language),
    ...(visit.transportAgent === undefined ? {} : { userAgent: visit.transportAgent }),
  };
  const common = { v: 1 as const, sdk, projectKey: probeKey, sessionId, nonce };
  const { language } = locale;
  const load: ProbeBody = {
    ...common,
    seq: 0,
    phase: 'load',
    at: startMs,
    up: draw.whole(300, 4_000),
    ids: { token: draw.chance(0.03) ? null : machine.token, kept: false },
    ...traces,
    ...machine.device.body,
    loc: { zone: locale.zone, offset: locale.offset, language, languages: [language, language.slice(0, 2)] },
    page: { framed: draw.chance(0.2), hidden: false, hiddenMs: 0, blurs: 0 },
  };
  const update: ProbeBody = {
    ...common,
    seq: 1,
    phase: 'update',
    at: Math.round(visit.atMs),
    up: 0,
    page: { framed: false, hidden: false, hiddenMs: 0, blurs: draw.poisson(0.8) },
    beh: possibleInput(beh),
    q: draw.chance(0.75) ? answerQuestions(draw, { count: study.questions, ...pace }, beh) : [],
  };
  update.up =
    Math.max(update.beh?.ms ?? 60_000, ...(update.q ?? []).map(({ timeOnQuestionMs }) => timeOnQuestionMs)) + 4_000;
  return draw.chance(0.03)
    ? [{ body: load, transport }]
    : [
        { body: load, transport },
        { body: update, transport },
      ];
}
