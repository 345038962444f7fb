/**
 * Names the kind of network behind an address, from its ASN, the ASN’s organization and an anonymizer database.
 * Pure, and conservative: what fits no list and no keyword is null, because a wrong class would change which
 * thresholds an honest respondent is held to. The order of precedence is documented in docs/geography.md.
 */
import type { NetworkClass } from '../../contract/facts.js';

export interface NetworkClues {
  readonly asn: number | null;
  readonly organization: string | null;
  /** The address is a VPN, proxy, relay or Tor exit according to an anonymizer database. */
  readonly anonymous: boolean;
  /** The address belongs to a hosting provider according to an anonymizer database. */
  readonly hosting?: boolean;
}

/** Networks whose organization names say too little or mislead. Those that carry home lines and phones alike stand under residential. */
const asnsByClass: Readonly<Record<NetworkClass, readonly number[]>> = {
  // Relay egress (iCloud Private Relay, WARP) leaves through the networks of Cloudflare, Fastly and Akamai; NordVPN, Mullvad, Proton, Tor exits.
  anonymous: [13335, 54113, 36183, 147049, 207137, 39351, 62371, 60729],
  // Amazon, Google Cloud, Azure, DigitalOcean, OVH, Hetzner, Akamai Connected Cloud, Vultr, Oracle, Alibaba, Tencent, Scaleway,
  // Contabo, Leaseweb, HostPapa, M247, BuyVM, Hivelocity, IONOS, GoDaddy, Datacamp.
  hosting: [
    16509, 14618, 396982, 8075, 14061, 16276, 24940, 213230, 63949, 20473, 31898, 45102, 37963, 132203, 45090, 12876,
    51167, 60781, 30633, 36352, 9009, 53667, 29802, 8560, 26496, 212238, 60068,
  ],
  // T-Mobile US, Verizon Wireless, AT&T Mobility, EE, Three UK, Jio, Airtel mobile, Vi, Free Mobile, Turkcell, Vodafone TR, MTN NG,
  // Safaricom, MTN ZA, Vodacom, NTT Docomo, SK Telecom, TIM Brasil, Claro mobile.
  mobile: [
    21928, 22394, 6167, 20057, 12576, 206067, 55836, 45609, 38266, 51207, 16135, 15897, 29465, 33771, 16637, 29975,
    9605, 9644, 26615, 22085,
  ],
  // Research networks of the UK, DE, FR, IT, ES, NL, US, ZA, BR, AU, JP, CN, SE, NO, FI, CH, AT, BE, GR.
  education: [
    786, 680, 2200, 137, 766, 1103, 11537, 2018, 1916, 7575, 2907, 4538, 1653, 224, 1741, 559, 1853, 2611, 5408,
  ],
  // Gateways that people at work browse through: Zscaler, Netskope, Cisco Umbrella, Prisma Access.
  business: [22616, 62044, 53813, 55256, 36692, 54538],
  // Large access networks whose registered name is an abbreviation.
  residential: [
    7922, 7018, 701, 20115, 20001, 11351, 11426, 11427, 10796, 12271, 33363, 22773, 3320, 3209, 6805, 3215, 12322,
    15557, 5410, 2856, 5089, 5607, 13285, 3269, 30722, 1267, 3352, 12479, 12430, 577, 812, 852, 6327, 1221, 7545, 4713,
    17676, 2516, 4766, 3786, 9318, 4134, 4837, 9829, 24560, 8151, 28573, 27699, 18881, 9121, 8402, 12389, 3301, 2119,
    6830, 33915, 1136, 5617,
  ],
};

/** Words in an organization’s name, tried in this order; the first that fits decides. */
const keywords: readonly (readonly [NetworkClass, RegExp])[] = [
  ['anonymous', /\b(?:\w*vpn|prox(?:y|ies)|tor exit|torservers|mullvad|windscribe|private internet access)\b/],
  [
    'education',
    /\b(?:universi\w+|college|schools?|school district|academic|polytechnic|institute of technology|education(?:al)? network|research (?:and education )?network)\b/,
  ],
  ['mobile', /\b(?:mobile|mobility|cellular|cellco|verizon wireless|gsm)\b/],
  [
    'residential',
    /\b(?:telecom\w*|broadband|cable\w*|fib(?:er|re)\w*|a?dsl|internet services?|internet provider|isp|communications|telephone|telefonica|telco|wireless|kabel\w*)\b/,
  ],
  [
    'hosting',
    /\b(?:web ?host\w*|host(?:ing\w*|inger|gator|europe|wind)|data ?cent(?:er|re)s?|cloud\w*|vps|colo(?:cation)?|dedicated servers?|virtual servers?|servers|hetzner|ovh|leaseweb|digitalocean|linode|vultr|contabo)\b/,
  ],
  [
    'business',
    /\b(?:bank|insurance|hospital|ministry|government|municipality|city of|county of|department of|pharma\w*|airlines?)\b/,
  ],
];

/** Longest organization name that is looked at, in characters. */
const organizationLengthMax = 256;

const classByAsn: ReadonlyMap<number, NetworkClass> = new Map(
  (Object.keys(asnsByClass) as NetworkClass[]).flatMap((name) => asnsByClass[name].map((asn) => [asn, name] as const)),
);

/** The class of a network; null where nothing says. */
export function classifyNetwork({ asn, organization, anonymous, hosting = false }: NetworkClues): NetworkClass | null {
  if (anonymous) return 'anonymous';
  const listed = asn === null ? undefined : classByAsn.get(asn);
  if (listed !== undefined) return listed;
  if (hosting) return 'hosting';
  if (organization === null) return null;
  const name = organization
    .slice(0, organizationLengthMax)
    .toLowerCase()
    .replace(/[-_.,/]+/g, ' ');
  return keywords.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}
