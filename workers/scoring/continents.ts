/**
 * Continents of countries and of IANA time zones: as fine as a weak signal needs. What is not certain is null, and
 * overseas zones (Atlantic/, Indian/, UTC) are never certain.
 */
type Continent = 'af' | 'am' | 'as' | 'au' | 'eu' | 'pa';

/** A country may stand in several rows. */
export const countries: Readonly<Record<Continent, string>> = {
  af: 'AO BF BI BJ BW CD CF CG CI CM DJ DZ EG ER ET GA GH GM GN GQ GW KE LR LS LY MA ML MR MW MZ NA NE NG RW SD SL SN SO SS ST SZ TD TG TN TZ UG ZA ZM ZW',
  am: 'AG AI AR AW BB BL BO BQ BR BS BZ CA CL CO CR CU CW DM DO EC GD GF GL GP GT GY HN HT JM KN KY LC MF MQ MS MX NI PA PE PM PR PY SR SV SX TC TT US UY VC VE VG VI',
  as: 'AE AF AM AZ BD BH BN BT CN CY GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MY NP OM PH PK PS QA RU SA SG SY TH TJ TL TM TR TW UZ VN YE',
  au: 'AU',
  eu: 'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GG GI GR HR HU IE IM IT JE KZ LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM TR UA VA XK',
  pa: 'AS CK CL EC FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM US VU WF WS',
};

const zonePrefixes: ReadonlyMap<string, Continent> = new Map([
  ['Africa', 'af'],
  ['America', 'am'],
  ['Asia', 'as'],
  ['Australia', 'au'],
  ['Europe', 'eu'],
  ['Pacific', 'pa'],
]);

const byCountry = new Map<string, Continent[]>();
for (const [continent, codes] of Object.entries(countries) as [Continent, string][]) {
  for (const code of codes.split(' ')) byCountry.set(code, [...(byCountry.get(code) ?? []), continent]);
}

/** Continents whose time zones a country keeps; null where unknown. */
export function continentOf(country: string): readonly Continent[] | null {
  return byCountry.get(country) ?? null;
}

/** Continent of an IANA time zone; null where its name does not tell. */
export function continentOfZone(zone: string): Continent | null {
  const slash = zone.indexOf('/');
  return slash < 0 ? null : (zonePrefixes.get(zone.slice(0, slash)) ?? null);
}
