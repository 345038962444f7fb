/** Campaigns: operators, their studies and times, how often they strike, and with which accounts. */
import * as crowds from './crowds.js';
import { kindShares, suppliers, wakingTime, type FraudKind, type Study, type Supplier } from './market.js';
import { drawOperator, learn, type Operator, type Play } from './operators.js';
import type { Person } from './people.js';
import { offsetOf, placeOf } from './places.js';
import type { Random, Weights } from './random.js';
import * as robots from './robots.js';
import type { Visit } from './sessions.js';

interface Campaign {
  readonly play: Play;
  /** Entries, and minutes between them: medians. */
  readonly entries: number;
  readonly minutes: number;
}

const campaign = (play: Play, entries: number, minutes: number): Campaign => ({ play, entries, minutes });
const campaigns: Readonly<Record<FraudKind, Campaign>> = {
  bare_http: campaign(robots.bareHttp, 8, 3),
  driven_browser: campaign(robots.drivenBrowser, 7, 5),
  patched_browser: campaign(robots.patchedBrowser, 6, 35),
  rented_servers: campaign(crowds.rentedServers, 6, 22),
  profile_farm: campaign(crowds.profileFarm, 7, 30),
  phone_rack: campaign(robots.phoneRack, 7, 9),
  emulators: campaign(robots.emulators, 6, 12),
  far_away: campaign(crowds.farAway, 2, 55),
  link_sharers: campaign(crowds.linkSharers, 9, 7),
  many_accounts: campaign(crowds.manyAccounts, 3, 35),
  browsing_agent: campaign(robots.browsingAgent, 2, 50),
  taken_account: campaign(crowds.takenAccount, 1, 60),
  forged_probe: campaign(robots.forgedProbe, 5, 10),
  form_filler: campaign(robots.formFiller, 2, 15),
};
/** One person who comes again and again. */
const solitary: readonly FraudKind[] = ['far_away', 'many_accounts', 'form_filler'];
/** People who choose their hour. */
const awake: readonly FraudKind[] = [...solitary, 'taken_account', 'link_sharers'];

export function drawFraud(
  random: Random,
  studies: readonly Study[],
  people: readonly Person[],
  count: number,
): Visit[] {
  const dirt: Weights<Supplier> = suppliers.map((supplier) => [supplier, supplier.dirt * Math.sqrt(supplier.share)]);
  const total = kindShares.reduce((sum, [, share]) => sum + share, 0);
  return kindShares.flatMap(([kind, share]) => {
    const own = random.stream(kind);
    const visits: Visit[] = [];
    const operators: Operator[] = [];
    const wanted = Math.round((count * share) / total);
    for (let n = 0; visits.length < wanted; n += 1) {
      const study = own.pick(studies);
      const known = operators.filter(({ country }) => country === study.country);
      const operator =
        known.length > 0 && own.chance(0.55)
          ? own.pick(known)
          : drawOperator(own.stream(n), `${kind} ${n}`, kind, study.country, own.weighted(dirt));
      if (!operators.includes(operator)) operators.push(operator);
      visits.push(...drawCampaign(own.stream(`wave ${n}`), operator, study, people));
      learn(own, operator, () => own.weighted(dirt));
    }
    return visits.slice(0, wanted);
  });
}

function drawCampaign(random: Random, operator: Operator, study: Study, people: readonly Person[]): Visit[] {
  const { kind } = operator;
  const { play, entries, minutes } = campaigns[kind];
  const abroad = kind === 'far_away' || kind === 'rented_servers';
  const offset = offsetOf(abroad ? operator.from.zone : placeOf(operator.country).zones[0]![0], study.startsMs);
  let atMs = awake.includes(kind)
    ? wakingTime(random, study.startsMs, study.fieldDays, offset)
    : study.startsMs + random.wait(study.fieldDays * 20_000_000);
  return Array.from({ length: Math.max(1, Math.round(random.around(entries, 0.6))) }, (_, n): Visit => {
    atMs += n === 0 ? 0 : random.around(minutes, 0.9) * 60_000;
    const { probe, person, device, ...entry } = play({ operator, random, study, n });
    return {
      ...entry,
      atMs,
      study,
      supplier: operator.supplier,
      subSource: operator.subSource,
      respondent: accountOf(random, operator, people, n),
      storage: 'kept',
      probe: probe === 'full' && random.chance(study.atEntry ? 0.3 : 0.04) ? 'load' : probe,
      truth: {
        fraud: true,
        label: kind,
        person,
        machine: `${operator.id} ${device}`,
        repeat: solitary.includes(kind) && n > 0 ? 'cleared' : null,
        operator: operator.id,
      },
    };
  });
}

function accountOf(
  random: Random,
  { kind, accounts, waves, country }: Operator,
  people: readonly Person[],
  n: number,
): string {
  if (kind === 'link_sharers') return random.hex(40);
  if (kind !== 'taken_account') return accounts[(n + waves * 3) % accounts.length] ?? random.hex(40);
  return random.pick(people.filter((person) => person.country === country)).accounts[0]!.respondent;
}
