/** Fraud by people: on rented servers, behind many profiles, from elsewhere, for a shared link, with many accounts or a stolen one. */
import { accessLine, carrierLine, hostedLine, rentedHome, torExit, vpnExit, type Connection } from './connections.js';
import { isPhone } from './agents.js';
import { tracesOf } from './drivers.js';
import * as operators from './operators.js';
import { localeOf } from './people.js';
import { placeOf } from './places.js';

const { byHand, choice, foreign, here, machineOf, made, ownCarrier, ownHome, rented, show, utc } = operators;
type Play = operators.Play;
type Turn = operators.Turn;

/** Workers abroad at desktops of a data center, several on each (Kennedy et al. 2020). */
export const rentedServers: Play = (turn) => {
  const { operator, random, n } = turn;
  const slot = n % operator.people;
  const browser = random.pick(['chrome', 'chrome', 'edge', 'firefox'] as const);
  const machine = machineOf(
    turn,
    `server ${slot} ${browser}`,
    { system: 'windows', virtual: true, browser },
    made(turn, 'clears', 0.6),
  );
  return show(turn, {
    machine,
    connection: hostedLine(operator.country, operator.own, slot),
    locale: made(turn, 'zone', 0.75) ? { ...here(operator), language: 'en-US', languages: ['en-US', 'en'] } : utc,
    behavior: byHand(turn, machine, { means: 'remote', pace: 0.6, person: `${slot}` }),
    person: `${operator.id} ${slot}`,
    device: `server ${slot}`,
  });
};

/** A room of workers, each behind many browser profiles that look like other computers. */
export const profileFarm: Play = (turn) => {
  const { operator, random, n } = turn;
  const account = operator.accounts[n % operator.accounts.length] ?? `${n}`;
  const system = choice(turn, account, ['windows', 'windows', 'mac', 'android'] as const);
  const machine = machineOf(turn, `profile ${account}`, {
    system,
    browser: 'chrome',
    behind: operator.own.stream('core').int(0, 4),
  });
  const canvas = operator.own.stream(`noise ${account}`).hex(8);
  const noisy = { ...machine, body: { ...machine.body, gfx: { ...machine.body.gfx, canvas } } };
  const worker = n % operator.people;
  return show(turn, {
    machine: noisy,
    connection: rented(turn, 0.08, made(turn, 'sticky', 0.6) ? `${operator.id} ${account}` : undefined),
    locale: made(turn, `zone ${account}`, 0.93)
      ? localeOf(operator.own.stream(account), operator.country)
      : foreign(turn),
    traces: tracesOf(random, 'antidetect', operator.skill),
    behavior: byHand(turn, noisy, { means: 'pointer', pace: 0.62, person: `${worker}` }),
    person: `${operator.id} ${worker}`,
    device: `worker ${worker}`,
  });
};

/** One person who lives elsewhere; the clock is set right by the careful. */
export const farAway: Play = (turn) => {
  const { operator, n } = turn;
  const phone = made(turn, 'phone', 0.4);
  const machine = machineOf(turn, 'own', { system: phone ? 'android' : 'windows' }, n > 0);
  const locale = foreign(turn);
  const zone = made(turn, `zone ${Math.floor(operator.waves / 2)}`, 0.42 + operator.skill / 3)
    ? placeOf(operator.country).zones[0]![0]
    : locale.zone;
  return show(turn, {
    machine,
    connection: disguisedLine(turn),
    locale: { ...locale, zone },
    behavior: byHand(turn, machine, { means: phone ? 'touch' : 'pointer', pace: 0.85 }),
  });
};

function disguisedLine({ operator, random, study }: Turn): Connection {
  const { own, country, from, id, waves } = operator;
  const way = own.stream(`way ${Math.floor(waves / 2)}`).weighted([
    ['vpn', 42],
    ['home', 38],
    ['server', 9],
    ['none', 7],
    ['tor', 4],
  ] as const);
  if (way === 'vpn') return vpnExit(random, country, own.stream('vpn'));
  if (way === 'home') return rentedHome(random, country);
  if (way === 'server') return hostedLine(country, own, 1);
  return way === 'tor' ? torExit(random) : accessLine(random, from.isp, from.country, id, study.startsMs);
}

/** Strangers who follow a link that somebody shared for the reward: each with a device and a line of its own, all in a hurry. */
export const linkSharers: Play = (turn) => {
  const { operator, random, n } = turn;
  const { country, id, waves, own } = operator;
  const who = `member ${waves} ${n}`;
  const member = own.stream(who);
  const place = placeOf(country);
  const phone = member.chance(0.75);
  const mobile = member.chance(place.iphones) ? 'ios' : 'android';
  const machine = machineOf(turn, who, { system: phone ? mobile : 'windows' });
  const abroad = member.chance(0.25);
  const home = accessLine(random, member.weighted(place.fixed), country, `${id} ${who}`, 0);
  const native = phone && member.chance(0.6) ? carrierLine(random, country, member.weighted(place.mobile)) : home;
  const hidden = member.chance(0.5) ? vpnExit(random, country, member) : rentedHome(random, country);
  return show(turn, {
    machine,
    connection: abroad ? hidden : native,
    locale: abroad ? foreign(turn) : localeOf(member, country),
    behavior: byHand(turn, machine, { means: phone ? 'touch' : 'pointer', pace: 0.5, person: who }),
    probe: random.chance(0.05) ? 'none' : 'full',
    person: `${id} ${who}`,
    device: who,
  });
};

/** One person with many accounts: at home, with storage cleared, another device now and then, or a VPN in between. */
export const manyAccounts: Play = (turn) => {
  const { operator, random, n } = turn;
  const { own, country } = operator;
  const place = placeOf(country);
  const phone = made(turn, 'phone', place.phones);
  const other = n > 0 && random.chance(0.25);
  const mobile = made(turn, 'apple', place.iphones) ? 'ios' : 'android';
  const machine = machineOf(
    turn,
    other ? 'other' : 'own',
    { system: phone !== other ? mobile : 'windows' },
    n > 0 && made(turn, 'clears', 0.6),
  );
  const moving = isPhone(machine.system) && random.chance(0.4);
  const open = moving ? carrierLine(random, country, ownCarrier(turn)) : ownHome(turn);
  return show(turn, {
    machine,
    connection: n > 0 && made(turn, 'hides', 0.3) ? vpnExit(random, country, own.stream('vpn')) : open,
    behavior: byHand(turn, machine, { means: isPhone(machine.system) ? 'touch' : 'pointer', pace: n > 0 ? 0.6 : 0.9 }),
    probe: random.chance(0.06) ? 'none' : 'full',
    device: other ? 'other' : 'own',
  });
};

/** Somebody else with the account of an honest person. */
export const takenAccount: Play = (turn) => {
  const { operator, random } = turn;
  const machine = machineOf(turn, 'own', { system: choice(turn, 'system', ['windows', 'android'] as const) }, true);
  const vpn = made(turn, 'vpn', 0.4);
  return show(turn, {
    machine,
    connection: vpn
      ? vpnExit(random, operator.country, operator.own.stream('vpn'))
      : rentedHome(random, operator.country),
    locale: made(turn, 'zone', 0.5) ? here(operator) : foreign(turn),
    behavior: byHand(turn, machine, { means: isPhone(machine.system) ? 'touch' : 'pointer', pace: 0.7 }),
  });
};
