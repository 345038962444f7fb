import t from 'tap';
import type { AddressFacts, Relay } from '../../../src/contract/facts.js';
import { continentOf, continentOfZone, matchCountry, weighNetwork } from '../../../workers/scoring/network.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { cleanFacts, humanFacts, safariOnPhone } from '../../helpers/facts.js';

const codes = (address: Partial<AddressFacts>, zone = 'Europe/Berlin') =>
  weighNetwork(readVisit(humanFacts({ address: { ...cleanFacts().address, ...address } }, { loc: { zone } }))).map(
    ({ code }) => code,
  );

t.test('an ordinary address raises nothing', (t) => {
  t.same(codes({}), []);
  t.same(codes({ network: 'mobile' }), []);
  t.same(codes({ network: null }), []);
  t.end();
});

t.test('hosting, anonymity, another country and another continent’s clock are each named', (t) => {
  t.same(codes({ network: 'hosting' }), ['network_hosting']);
  t.same(codes({ network: 'anonymous' }), ['network_anonymous']);
  t.same(codes({ country: 'FR' }), ['declared_country_mismatch']);
  t.same(codes({}, 'Asia/Tokyo'), ['clock_country_mismatch']);
  t.same(codes({}, 'UTC'), [], 'a clock that names no continent says nothing');
  t.same(codes({ range: 'private' }), ['address_not_public']);
  t.end();
});

t.test('a Tor exit or a rented home weighs more than any VPN, and neither leads to review alone', (t) => {
  const facts = (relay?: Relay) =>
    cleanFacts({ address: { ...cleanFacts().address, network: 'anonymous', ...(relay && { relay }) } });
  const vpn = scoreFacts(facts()).reply;
  for (const relay of ['tor', 'residential_proxy'] as const) {
    const { reply } = scoreFacts(facts(relay));
    t.ok(reply.score >= vpn.score + 10, relay);
    t.equal(reply.recommendation, 'allow');
    t.same(
      reply.reasons.map(({ code }) => code).filter((code) => code.startsWith('network_')),
      [`network_${relay}`],
    );
  }
  t.end();
});

t.test('a phone on a hosting network came by a VPN: it weighs less than a computer there', (t) => {
  const weightOf = (userAgent: string) =>
    weighNetwork(readVisit(cleanFacts({ userAgent, address: { ...cleanFacts().address, network: 'hosting' } })))[0]
      ?.weight ?? 0;
  const computer = weightOf(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/149.0.0.0 Safari/537.36',
  );
  t.ok(weightOf(safariOnPhone) > 0);
  t.ok(weightOf(safariOnPhone) < computer);
  t.end();
});

t.test('a clock elsewhere weighs more on the network of a home or a carrier, whose customers are there', (t) => {
  const weightOf = (network: AddressFacts['network']) =>
    weighNetwork(
      readVisit(humanFacts({ address: { ...cleanFacts().address, network } }, { loc: { zone: 'Asia/Tokyo' } })),
    ).find(({ code }) => code === 'clock_country_mismatch')?.weight ?? 0;
  t.same([weightOf('residential'), weightOf('mobile')], [1.2, 1.2]);
  for (const network of ['anonymous', 'hosting', 'business', 'education', null] as const)
    t.equal(weightOf(network), 0.6, String(network));
  t.end();
});

t.test('a country matches by its code and by its usual alias; unknown is null', (t) => {
  t.equal(matchCountry('UK', 'GB'), true);
  t.equal(matchCountry('DE', 'FR'), false);
  t.equal(matchCountry(null, 'FR'), null);
  t.equal(matchCountry('DE', null), null);
  t.end();
});

t.test('countries and zones know their continents, and what straddles two has both', (t) => {
  t.same(continentOf('DE'), ['eu']);
  t.same(continentOf('RU'), ['as', 'eu']);
  t.same(continentOf('US'), ['am', 'pa']);
  t.equal(continentOf('ZZ'), null);
  t.equal(continentOfZone('America/Indiana/Knox'), 'am');
  for (const zone of ['UTC', 'Etc/GMT', 'Atlantic/Reykjavik', '']) t.equal(continentOfZone(zone), null);
  t.end();
});
