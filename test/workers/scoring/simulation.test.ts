/**
 * Whole populations, drawn with a fixed seed: how many honest people are blocked or reviewed, and how many automated visits are caught.
 */
import t from 'tap';
import type { NetworkClass, ScoreFacts } from '../../../src/contract/facts.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { cleanCounts, humanBody, humanFacts, humanTransport } from '../../helpers/facts.js';
import { automatedVisits, phoneFacts, touchBehavior } from '../../helpers/visits.js';

interface Person {
  readonly facts: ScoreFacts;
  readonly vpn: boolean;
}

/** Most people behind one address at a time. */
const crowds: Partial<Record<NetworkClass, number>> = { mobile: 300, education: 300 };

function drawNetwork(chance: (share: number) => boolean, vpn: boolean, mobile: boolean): NetworkClass {
  if (vpn) return chance(0.3) ? 'hosting' : 'anonymous';
  if (mobile && chance(0.6)) return 'mobile';
  if (chance(0.08)) return 'business';
  return chance(0.04) ? 'education' : 'residential';
}

/** The functions that an anti-fingerprinting tool, or an extension, replaces. */
function drawLies(random: () => number): string[] {
  const faked = ['proxy.toDataURL', 'proxy.getImageData', 'proxy.getParameter'];
  if (random() < 0.04) return faked.slice(0, 1 + Math.floor(random() * 3));
  return random() < 0.02 ? ['proxy.userAgent', 'proxy.languages'] : [];
}

/** Surroundings in the shares that studies of panels and networks report. */
function drawSurroundings(random: () => number, mobile: boolean): Partial<ScoreFacts> & { vpn: boolean } {
  const chance = (share: number) => random() < share;
  const vpn = chance(0.32);
  const network = drawNetwork(chance, vpn, mobile);
  const isAbroad = chance(vpn ? 0.5 : 0.02);
  const country = vpn ? 'US' : 'FR';
  const household = chance(0.4) ? 1 + Math.floor(random() * 4) : 1;
  const people = network === 'residential' ? household : 1 + Math.floor(random() * (crowds[network] ?? 12));
  const n = chance(0.6) ? 0 : Math.floor(random() * 25);
  const busy = 10 + Math.floor(random() * 40);
  return {
    vpn,
    address: { family: chance(0.5) ? 4 : 6, range: 'public', country: isAbroad ? country : 'DE', asn: 1, network },
    history: {
      respondent: { n, fraud: n > 5 && chance(0.01) ? 1 : 0, confirmedClawbacks: 0 },
      source: { n: 400, fraud: 400 * (0.01 + 0.07 * random()) },
      subSource: null,
      // Some have a new device, or cleared what it kept.
      ...(n % 5 > 0 ? { device: { n, fraud: 0 } } : {}),
    },
    counts: cleanCounts({
      deviceRespondentsDay: chance(0.05) ? 2 + Math.floor(random() * 2) : 1,
      addressRespondentsHour: people,
      addressDevicesHour: people,
      addressSessionsHour: people,
      // Strangers of a sample meet on one network where it is shared.
      prefixSessionsHour: people,
      prefixSessionsDay: crowds[network] === undefined ? people + Math.floor(random() * 2) : people * 8 + 40,
      // A wave of invitations now and then.
      source: {
        hour: chance(0.05) ? busy * 4 : Math.round(busy * (0.6 + 0.8 * random())),
        mean: busy,
        variance: busy * 2,
        hours: 200,
      },
    }),
  };
}

function drawPerson(random: () => number): Person {
  const chance = (share: number) => random() < share;
  const mobile = chance(0.5);
  const { vpn, ...surroundings } = drawSurroundings(random, mobile);
  if (mobile) return { vpn, facts: phoneFacts({ ...surroundings, ...(chance(0.2) ? { probe: null } : {}) }) };
  const usual = humanBody();
  const tools = chance(0.02);
  const lies = drawLies(random);
  const beh = {
    ...usual.beh,
    ...(chance(0.2) ? { clickDwell: [9, 0.8, 0.9, 0, 3] as const } : {}),
    ...(chance(0.1) ? { coalesced: [420, 1, 0, 1, 1] as const } : {}),
    ...(chance(0.1) ? { untrusted: 2 } : {}),
    ...(chance(0.05)
      ? { clickBare: 2, moves: 3, fineTimes: 0, interval: null, turn: null, coalesced: null, keys: 60 }
      : {}),
    ...(chance(0.05) ? { pastes: 1, pasteChars: 400 } : {}),
  };
  const body = humanBody({
    lies,
    beh: chance(0.03) ? touchBehavior : beh,
    auto: { webdriver: false, globals: [], debugStack: tools, debugGetter: tools },
    gfx: chance(0.03) ? { renderer: 'Google SwiftShader' } : (usual.gfx ?? {}),
    loc: { zone: chance(0.03) ? 'America/New_York' : 'Europe/Berlin', languages: ['de-DE'] },
  });
  return {
    vpn,
    facts: humanFacts({ ...surroundings, probe: chance(0.2) ? null : { body, transport: humanTransport } }),
  };
}

t.test('honest people are hardly ever blocked, VPN users no more than others', (t) => {
  const random = createRandom(20_260_504);
  const count = { all: 0, blocked: 0, reviewed: 0, vpn: 0, vpnBlocked: 0, vpnReviewed: 0 };
  for (; count.all < 20_000; count.all += 1) {
    const { facts, vpn } = drawPerson(random);
    const { recommendation } = scoreFacts(facts).reply;
    count.blocked += Number(recommendation === 'block');
    count.reviewed += Number(recommendation === 'review');
    count.vpn += Number(vpn);
    count.vpnBlocked += Number(vpn && recommendation === 'block');
    count.vpnReviewed += Number(vpn && recommendation === 'review');
  }
  t.comment(JSON.stringify(count));
  t.ok(count.blocked / count.all < 0.005, 'blocked');
  t.ok(count.vpnBlocked / count.vpn < 0.005, 'blocked among VPN users');
  t.ok(count.reviewed / count.all < 0.03, 'reviewed');
  t.ok(count.vpnReviewed / count.vpn < 0.06, 'reviewed among VPN users');
  t.end();
});

t.test('every automated set-up that was measured goes to review at least, wherever it comes from', (t) => {
  const random = createRandom(7);
  const blocked: string[] = [];
  for (const [name, visit] of Object.entries(automatedVisits)) {
    t.ok(['review', 'block'].includes(scoreFacts(visit).reply.recommendation), name);
    if (scoreFacts(visit).reply.recommendation === 'block') blocked.push(name);
    for (let round = 0; round < 200; round += 1) {
      // At home in the country it declares, as through a residential proxy: nothing but the browser speaks.
      const { vpn, history: _history, ...surroundings } = drawSurroundings(random, false);
      const { reply } = scoreFacts({ ...visit, ...surroundings });
      if (reply.score < 40) t.fail(`${name} passes with ${reply.score}`, { vpn, against: reply.evidence.against });
    }
  }
  t.comment(`blocked by themselves: ${blocked.join('; ')}`);
  t.ok(blocked.length >= 6, 'drivers that touch the page are blocked outright');
  t.end();
});
