/**
 * Panel traffic of a second market, drawn by other code than research/panel and from sources alone: whoever wrote it had seen neither the first
 * generator nor the rules. docs/internals/simulated-traffic.md says how it was made and which quantities it invents.
 */
import type { PanelSession } from '../panel/sessions.js';
import { drawFraud } from './campaigns.js';
import { useHands } from './hands.js';
import { buildMachine } from './machines.js';
import { drawStudies, fraudShare, wakingTime, type Study } from './market.js';
import { sitDown } from './circumstances.js';
import { drawPeople, type Person } from './people.js';
import { offsetOf } from './places.js';
import { createRandom, type Random } from './random.js';
import { toSession, type Visit } from './sessions.js';

export interface SecondTrafficOptions {
  readonly seed: number;
  readonly sessions: number;
}

/** Members of two panels and the forgetful come twice: pairs of panels share 2 to 19% of members, mostly well below 10 (ARF 2009). */
const repeatShare = 0.04;
const perStudy = 140;

/** In time. */
export function drawSecondTraffic({ seed, sessions }: SecondTrafficOptions): PanelSession[] {
  const random = createRandom(`second ${seed}`);
  const studies = drawStudies(random.stream('studies'), Math.max(4, Math.round(sessions / perStudy)));
  const people = drawPeople(random.stream('people'), Math.round(sessions * 0.75));
  const honest = drawHonest(random.stream('honest'), studies, people, Math.round(sessions * (1 - fraudShare)));
  const fraud = drawFraud(random.stream('fraud'), studies, people, sessions - honest.length);
  return [...honest, ...fraud]
    .sort((a, b) => a.atMs - b.atMs)
    .map((visit, n) => toSession(random.stream(`session ${n}`), visit, `second-${seed}-${n}`));
}

function drawHonest(random: Random, studies: readonly Study[], people: readonly Person[], count: number): Visit[] {
  const visits: Visit[] = [];
  const sizes = studies.map((study) => [study, random.around(1, 0.5)] as const);
  const byCountry = new Map(
    studies.map(({ country }) => [
      country,
      people.filter((one) => one.country === country).map((one) => [one, one.activity] as const),
    ]),
  );
  const invited = new Set<string>();
  for (let tries = 0; visits.length < count && tries < count * 20; tries += 1) {
    const study = random.weighted(sizes);
    const choice = byCountry.get(study.country) ?? [];
    if (choice.length === 0) continue;
    const person = random.weighted(choice);
    if (invited.has(`${study.id} ${person.id}`)) continue;
    invited.add(`${study.id} ${person.id}`);
    const own = random.stream(`${study.id} ${person.id}`);
    const first = honestVisit(
      own,
      study,
      person,
      wakingTime(own, study.startsMs, study.fieldDays, offsetOf(person.locale.zone, study.startsMs)),
    );
    visits.push(first);
    if (own.chance(repeatShare)) visits.push(comeAgain(own, person, first));
  }
  return visits.slice(0, count);
}

function honestVisit(random: Random, study: Study, person: Person, atMs: number): Visit {
  const { label, connection, locale, traces, machine, hands } = sitDown(random, person, atMs);
  const account = random.pick(person.accounts);
  const questions = study.atEntry ? 0 : study.questions;
  const seconds = study.atEntry
    ? random.between(1.5, 12)
    : Math.max(
        15,
        study.questions * hands.pace * random.around(1, 0.25) + (random.chance(0.12) ? random.wait(400) : 0),
      );
  const probed = random.chance(person.probed);
  const seen = random.chance(study.atEntry ? 0.3 : 0.03) ? 'load' : 'full';
  return {
    atMs,
    study,
    supplier: account.supplier,
    subSource: account.subSource,
    respondent: account.respondent,
    machine,
    connection,
    locale,
    traces,
    behavior: useHands(random, hands, machine, { questions, seconds, framed: study.framed }),
    probe: probed ? seen : 'none',
    storage:
      label === 'public_computer'
        ? 'cleared'
        : random.weighted([
            ['kept', 93],
            ['private', 3],
            ['cleared', 4],
          ] as const),
    truth: { fraud: false, label, person: person.id, machine: machine.id, repeat: null, operator: null },
  };
}

/** Through another panel, after a crash, with storage cleared or in another browser: the same person in the same study. */
function comeAgain(random: Random, person: Person, first: Visit): Visit {
  const repeat = random.weighted([
    ['same_device', 55],
    ['cleared', 27],
    ['second_browser', 18],
  ] as const);
  const again = honestVisit(random, first.study, person, first.atMs + 240_000 + random.wait(20 * 3_600_000));
  const cleared = { ...first.machine, token: random.hex(32), usedMs: null };
  const { system, id } = first.machine;
  const other = buildMachine(random.stream('other browser'), id, {
    system,
    browser: system === 'ios' || first.machine.browser === 'firefox' ? 'chrome' : 'firefox',
  });
  const hardware = {
    ...other,
    hardware: first.machine.hardware,
    body: {
      ...other.body,
      scr: first.machine.body.scr,
      hw: { ...first.machine.body.hw, memory: other.body.hw.memory ?? null },
    },
  };
  const machine = { same_device: first.machine, cleared, second_browser: hardware }[repeat];
  const same = random.chance(0.3);
  return {
    ...again,
    machine,
    storage: 'kept',
    supplier: same ? first.supplier : again.supplier,
    respondent: same ? first.respondent : random.hex(40),
    connection: random.chance(0.8) ? first.connection : again.connection,
    truth: { ...again.truth, label: first.truth.label, machine: id, repeat },
  };
}
