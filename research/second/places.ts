/**
 * Homes of respondents: time zones, languages and access networks. Networks carry the names that registries show for them. Shares follow
 * published market shares roughly; carrier NAT is common on phones everywhere and on fixed lines in India, Brazil and at small providers
 * (Richter et al. 2016, Livadariu et al. 2018, Cloudflare on CGNAT).
 */
import { mix, weightsIn, type Random, type Weights } from './random.js';

export interface Isp {
  readonly asn: number;
  readonly name: string;
  /** Share of visits by IPv6. */
  readonly v6: number;
  /** Public IPv4 addresses that strangers share; 0: each customer has one. */
  readonly nat: number;
  readonly leaseDays: number;
}

interface Locality {
  /** Share of people who answer on a phone, and of phones that are iPhones. */
  readonly phones: number;
  readonly iphones: number;
  readonly zones: Weights<string>;
  readonly languages: Weights<string>;
  readonly fixed: Weights<Isp>;
  readonly mobile: Weights<Isp>;
}

const readIsp = ([asn, name = '', v6, nat, leaseDays]: string[]): Isp => ({
  asn: Number(asn),
  name,
  v6: Number(v6),
  nat: Number(nat),
  leaseDays: Number(leaseDays),
});

const place = (
  phones: number,
  iphones: number,
  zones: string,
  languages: string,
  fixed: string,
  mobile: string,
): Locality => ({
  phones,
  iphones,
  zones: mix(zones),
  languages: mix(languages),
  fixed: weightsIn(fixed, readIsp),
  mobile: weightsIn(mobile, readIsp),
});

/** Networks: share | ASN | name | IPv6 | addresses of the carrier NAT | days of a lease. */
const homes = {
  US: place(
    0.52,
    0.56,
    'America/New_York 47, America/Chicago 29, America/Denver 6, America/Phoenix 2, America/Los_Angeles 16',
    'en-US 93, es-US 3, es-MX 2, zh-CN 1, en-GB 1',
    `
      28 | 7922 | COMCAST-7922 | 0.7 | 0 | 120
      21 | 20115 | CHARTER-20115 | 0.6 | 0 | 90
      12 | 7018 | ATT-INTERNET4 | 0.6 | 0 | 120
      8 | 701 | UUNET | 0.3 | 0 | 60
      6 | 22773 | ASN-CXA-ALL-CCI-22773-RDC | 0.5 | 0 | 90
      4 | 5650 | FRONTIER-FRTR | 0.05 | 0 | 60
      4 | 209 | CENTURYLINK-US-LEGACY-QWEST | 0.1 | 0 | 60
      7 | 21928 | T-MOBILE-AS21928 | 0.85 | 400 | 2
      2 | 26794 | DCB-ASN | 0.1 | 0 | 60
      2 | 12083 | WOW-INTERNET | 0.1 | 0 | 60
      4 | 33339 | NSW-AS Mid-Rivers Telephone Cooperative | 0 | 30 | 60
      2 | 14593 | SPACEX-STARLINK | 0.5 | 60 | 1`,
    `
      38 | 21928 | T-MOBILE-AS21928 | 0.86 | 500 | 60
      34 | 6167 | CELLCO-PART | 0.75 | 500 | 60
      28 | 20057 | ATT-MOBILITY-LLC-AS20057 | 0.6 | 500 | 60`,
  ),
  GB: place(
    0.5,
    0.5,
    'Europe/London 99, Europe/Belfast 1',
    'en-GB 82, en-US 14, pl-PL 2, ro-RO 1, fr-FR 1',
    `
      29 | 2856 | BT-UK-AS BTnet UK Regional network | 0.6 | 0 | 20
      22 | 5607 | BSKYB-BROADBAND-AS | 0.85 | 0 | 90
      22 | 5089 | NTL | 0 | 0 | 120
      11 | 13285 | OPALTELECOM-AS TalkTalk Communications Limited | 0.1 | 0 | 10
      5 | 6871 | PLUSNET UK Internet Service Provider | 0.05 | 0 | 30
      3 | 56478 | BCUBE-AS Hyperoptic Ltd | 0.7 | 40 | 2
      1 | 14593 | SPACEX-STARLINK | 0.5 | 60 | 1`,
    `
      30 | 12576 | EE-AS EE Limited | 0.6 | 200 | 60
      27 | 35228 | O2BROADBAND Telefonica UK Limited | 0.1 | 150 | 60
      22 | 25135 | VODAFONE_UK_ | 0.1 | 150 | 60
      21 | 206067 | H3GUK | 0.3 | 150 | 60`,
  ),
  DE: place(
    0.44,
    0.38,
    'Europe/Berlin 99, Europe/Busingen 1',
    'de-DE 84, de 5, en-US 6, tr-TR 2, ru-RU 2, pl-PL 1',
    `
      40 | 3320 | DTAG Internet service provider operations | 0.75 | 0 | 60
      24 | 3209 | VODANET International IP-Backbone of Vodafone | 0.6 | 60 | 3
      12 | 8881 | VERSATEL 1&1 Versatel Deutschland GmbH | 0.6 | 0 | 1
      10 | 6805 | TDDE-ASN1 Telefonica Germany | 0.5 | 0 | 1
      5 | 60294 | DE-DGW Deutsche Glasfaser Wholesale | 0.8 | 50 | 2
      3 | 8422 | NETCOLOGNE | 0.7 | 0 | 1`,
    `
      37 | 3320 | DTAG Internet service provider operations | 0.55 | 200 | 60
      31 | 3209 | VODANET International IP-Backbone of Vodafone | 0.5 | 200 | 60
      32 | 6805 | TDDE-ASN1 Telefonica Germany | 0.4 | 150 | 60`,
  ),
  IN: place(
    0.74,
    0.06,
    'Asia/Kolkata 55, Asia/Calcutta 45',
    'en-IN 38, en-GB 27, en-US 25, hi-IN 8, ta-IN 2',
    `
      32 | 55836 | RELIANCEJIO-IN Reliance Jio Infocomm Limited | 0.8 | 90 | 2
      24 | 24560 | AIRTELBROADBAND-AS-AP Bharti Airtel Ltd., Telemedia Services | 0.5 | 0 | 3
      12 | 9829 | BSNL-NIB National Internet Backbone | 0.2 | 0 | 2
      9 | 24309 | CABLELITE-AS-AP Atria Convergence Technologies Pvt. Ltd. | 0.3 | 60 | 5
      7 | 133982 | EXCITEL-AS-IN Excitel Broadband Private Limited | 0.1 | 40 | 5
      9 | 45235 | GEONET-IN GEOCITY NETWORK SOLUTIONS PVT LTD | 0 | 12 | 10`,
    `
      46 | 55836 | RELIANCEJIO-IN Reliance Jio Infocomm Limited | 0.88 | 120 | 60
      36 | 45609 | BHARTI-MOBILITY-AS-AP Bharti Airtel Ltd. AS for GPRS Service | 0.5 | 90 | 60
      18 | 38266 | VIL-AS-AP Vodafone Idea Ltd | 0.5 | 70 | 60`,
  ),
  BR: place(
    0.68,
    0.18,
    'America/Sao_Paulo 84, America/Fortaleza 6, America/Bahia 5, America/Manaus 5',
    'pt-BR 94, pt 2, en-US 4',
    `
      22 | 28573 | Claro NXT Telecomunicacoes Ltda | 0.5 | 0 | 20
      18 | 18881 | TELEFONICA BRASIL S.A | 0.6 | 0 | 3
      9 | 7738 | V tal | 0.4 | 30 | 3
      8 | 28126 | BRISANET SERVICOS DE TELECOMUNICACOES S.A | 0.6 | 20 | 3
      8 | 262462 | Aloo Telecom - FSF Tecnologia SA | 0.4 | 10 | 5
      20 | 266445 | LINK NET PROVEDOR DE ACESSO LTDA - ME | 0.3 | 6 | 5
      15 | 268987 | SPEED WIFI SERVICOS DE COMUNICACAO | 0.3 | 4 | 5`,
    `
      38 | 26599 | TELEFONICA BRASIL S.A | 0.6 | 100 | 60
      33 | 22085 | Claro S.A. | 0.5 | 100 | 60
      29 | 26615 | TIM S/A | 0.6 | 90 | 60`,
  ),
  ZA: place(
    0.7,
    0.14,
    'Africa/Johannesburg 100',
    'en-ZA 38, en-GB 30, en-US 30, af-ZA 2',
    `
      25 | 37457 | Telkom-Internet | 0 | 0 | 2
      20 | 37611 | Afrihost | 0.2 | 30 | 3
      12 | 11845 | Vox-Telecom | 0 | 0 | 20
      12 | 37680 | COOL-IDEAS | 0.5 | 0 | 60
      10 | 328453 | Web-Squad-Connect | 0.1 | 10 | 20`,
    `
      40 | 29975 | VODACOM- | 0 | 60 | 60
      34 | 16637 | MTNNS-AS | 0.1 | 60 | 60
      12 | 37168 | CELL-C | 0 | 30 | 60
      14 | 37457 | Telkom-Internet | 0 | 30 | 60`,
  ),
} as const;

export type Country = keyof typeof homes;
export const countryShares: Weights<Country> = mix('US 44, GB 16, DE 14, IN 11, BR 9, ZA 6');
export const placeOf = (country: Country): Locality => homes[country];

export interface Abroad {
  readonly country: string;
  readonly zone: string;
  readonly language: string;
  readonly isp: Isp;
}

/** Countries of people who claim to live elsewhere, and of those who are paid by the click. */
const abroad = weightsIn(
  `
    22 | KE | Africa/Nairobi | en-GB | 33771 | SAFARICOM-LIMITED | 0 | 40 | 60
    20 | NG | Africa/Lagos | en-US | 29465 | VCG-AS | 0 | 40 | 60
    16 | BD | Asia/Dhaka | en-US | 63969 | Race Online Limited | 0.2 | 10 | 60
    12 | PK | Asia/Karachi | en-GB | 17557 | PKTELECOM-AS-PK Pakistan Telecommunication Company Limited | 0 | 0 | 2
    10 | VE | America/Caracas | es-VE | 8048 | CANTV Servicios, Venezuela | 0 | 0 | 3
    10 | PH | Asia/Manila | en-US | 9299 | IPG-AS-AP Philippine Long Distance Telephone Company | 0.2 | 20 | 3
    10 | CN | Asia/Shanghai | zh-CN | 4134 | CHINANET-BACKBONE | 0.3 | 0 | 2`,
  ([country = '', zone = '', language = '', ...isp]): Abroad => ({ country, zone, language, isp: readIsp(isp) }),
);
export const drawAbroad = (random: Random): Abroad => random.weighted(abroad);

const offsets = new Map<string, number>();
/** The offset as getTimezoneOffset returns it; summer time counts. */
export function offsetOf(zone: string, atMs: number): number {
  const key = `${zone} ${Math.floor(atMs / 86_400_000)}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).format(atMs);
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = (sign === '-' ? 1 : -1) * (60 * Number(hours) + Number(minutes)) || 0;
  offsets.set(key, offset);
  return offset;
}
