/**
 * Months of panel traffic from one seed: studies of three countries, people who answer several of them, some of whom come again, and the
 * campaigns of operators. Each session is what the customer’s backend and the page would send, with the truth next to it.
 */
import {
  leftOutKinds,
  repeatKinds,
  shiftRates,
  panelRates,
  type FraudKind,
  type PanelRates,
  fraudKinds,
} from './base-rates.js';
import { createDraw, type Draw } from './draw.js';
import type { Operator } from './cover.js';
import { drawCampaign, drawOperator } from './fraud.js';
import {
  clearedStorage,
  drawAddress,
  drawHonestBehavior,
  drawHonestTraces,
  drawPeople,
  otherBrowser,
  type Person,
} from './honest.js';
import { countries, type Country } from './networks.js';
import { toSession, type PanelSession } from './sessions.js';
import { dayMs, hourMs, inWakingHours, type Study, type Visit } from './visits.js';

export interface TrafficOptions {
  readonly seed: number;
  readonly sessions: number;
  /** Seed of another market: rates shifted by up to half, with kinds that fits never see. Default: the published rates. */
  readonly market?: number;
  /** Without the kinds that fits never see. */
  readonly forFit?: boolean;
  readonly startMs?: number;
}

const suppliers = ['s0', 's1', 's2', 's3', 's4', 's5'] as const;
const days = 60;
const studyDays = 4;
const perStudy = 150;
const defaultStartMs = Date.UTC(2026, 0, 5);
const countryNames = Object.keys(countries) as Country[];

/** In time. */
export function drawTraffic({
  seed,
  sessions,
  market,
  forFit = false,
  startMs = defaultStartMs,
}: TrafficOptions): PanelSession[] {
  const draw = createDraw(seed);
  const rates = market === undefined ? panelRates : shiftRates(panelRates, createDraw(market), forFit);
  const studies = drawStudies(draw, Math.max(3, Math.round(sessions / perStudy)), startMs);
  const honestCount = Math.round((sessions * (1 - rates.fraud)) / studies.length / (1 + rates.repeats));
  const shares = suppliers.map((name) => [name, draw.lognormal(1, 0.6)] as const);
  const dirty = [...suppliers].sort(() => draw.random() - 0.5);
  const fraudSuppliers = dirty.flatMap((name, n) => Array.from({ length: [5, 4, 3, 2, 1, 1][n] ?? 0 }, () => name));
  const people = new Map(
    countryNames.map((country) => [country, drawPeople(draw, rates, country, Math.round(sessions / 5), shares)]),
  );
  const visits = studies.flatMap((study) =>
    drawHonestVisits(draw, rates, study, people.get(study.country) ?? [], honestCount),
  );
  visits.push(...drawFraudVisits(draw, rates, studies, fraudSuppliers, Math.round(sessions * rates.fraud)));
  visits.sort((a, b) => a.atMs - b.atMs);
  return visits.map((visit, n) => toSession(draw, rates, visit, `${seed}-${n}`));
}

function drawStudies(draw: Draw, count: number, startMs: number): Study[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `study-${n}`,
    country: draw.pick(countryNames),
    startsMs: startMs + Math.floor(((days - studyDays) * dayMs * n) / count) + draw.whole(8, 18) * hourMs,
    questions: draw.whole(8, 24),
  }));
}

/** Invitations go out at once; people answer over days. */
const answerAt = (draw: Draw, { startsMs, country }: Study): number =>
  inWakingHours(draw, startsMs + draw.exponential(0.9 * dayMs), countries[country].offset);

function drawHonestVisits(
  draw: Draw,
  rates: PanelRates,
  study: Study,
  people: readonly Person[],
  count: number,
): Visit[] {
  const invited = [...people]
    .map((person) => ({ person, turn: -Math.log(1 - draw.random()) / person.activity }))
    .sort((a, b) => a.turn - b.turn);
  return invited.slice(0, count).flatMap(({ person }) => {
    const first = drawHonestVisit(draw, rates, study, person, answerAt(draw, study));
    return draw.chance(rates.repeats) ? [first, repeatVisit(draw, rates, person, first)] : [first];
  });
}

function drawHonestVisit(draw: Draw, rates: PanelRates, study: Study, person: Person, atMs: number): Visit {
  const { id, group, machines, locale, supplier, seconds } = person;
  const index = draw.whole(0, machines.length - 1);
  let machine = machines[index]!;
  if (draw.chance(machine.device.browser === 'safari' ? 0.35 : 0.06)) {
    machine = clearedStorage(draw, machine);
    machines[index] = machine;
  }
  return {
    atMs,
    study,
    supplier,
    machine,
    locale,
    respondentId: id,
    address: drawAddress(draw, person),
    beh: drawHonestBehavior(draw, person, machine),
    pace: { seconds: seconds * draw.lognormal(1, 0.25), sigma: rates.questionSigma },
    traces: drawHonestTraces(draw, person),
    ...(group === 'office' && draw.chance(0.05) ? { acceptLanguage: 'en-US' } : {}),
    probed: draw.chance(rates.probed),
    truth: { fraud: false, label: group, person: id, machine: machine.id, repeat: null, operator: null },
  };
}

/** The same person in the same study again, under another name or the same. */
function repeatVisit(draw: Draw, rates: PanelRates, person: Person, first: Visit): Visit {
  const kind = draw.weighted(repeatKinds.map((name) => [name, rates.repeatKinds[name]] as const));
  const changed = {
    same_device: first.machine,
    cleared: clearedStorage(draw, first.machine),
    second_browser: otherBrowser(draw, first.machine),
  }[kind];
  const again = drawHonestVisit(draw, rates, first.study, person, first.atMs + draw.exponential(14 * hourMs) + 300_000);
  return {
    ...again,
    machine: changed,
    beh: drawHonestBehavior(draw, person, changed),
    supplier: draw.chance(0.5) ? first.supplier : draw.pick(suppliers),
    respondentId: draw.chance(0.25) && kind === 'same_device' ? first.respondentId : draw.hex(20),
    address: draw.chance(0.75) ? first.address : again.address,
    truth: { ...again.truth, machine: first.machine.id, repeat: kind },
  };
}

function drawFraudVisits(
  draw: Draw,
  rates: PanelRates,
  studies: readonly Study[],
  dirty: readonly string[],
  count: number,
): Visit[] {
  const kinds = fraudKinds.filter((kind) => rates.kinds[kind] > 0).map((kind) => [kind, rates.kinds[kind]] as const);
  const wanted = new Map<FraudKind, number>();
  const total = kinds.reduce((sum, [, share]) => sum + share, 0);
  for (const [kind, share] of kinds) wanted.set(kind, Math.round((count * share) / total));
  return kinds.flatMap(([kind]) => {
    const visits: Visit[] = [];
    const operators: Operator[] = [];
    while (visits.length < (wanted.get(kind) ?? 0)) {
      const study = draw.pick(studies);
      const known = operators.filter(({ country }) => country === study.country);
      // Most come back to the next study.
      const operator =
        known.length > 0 && draw.chance(0.6) ? draw.pick(known) : drawOperator(draw, kind, study.country, dirty);
      if (!operators.includes(operator)) operators.push(operator);
      visits.push(...drawCampaign(draw, rates, operator, study));
    }
    return visits.slice(0, wanted.get(kind) ?? 0);
  });
}

/** For whoever has to know that the fit saw none of them. */
export const isLeftOut = (label: string): boolean => (leftOutKinds as readonly string[]).includes(label);
