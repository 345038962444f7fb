/**
 * Measures whether repeated visits of one device are found, and other devices kept apart: by the score’s duplicate band, among simulated
 * strangers of one study, and by two libraries that hash the device (FingerprintJS, ThumbmarkJS) on the same page loads. Prints the table.
 */
import type { BenchResult } from './bench-result.js';
import { visitPairs, type IdentityVisit, type Pair } from './browsers/identity-visits.js';
import { markdownTable } from './markdown.js';
import { addressAt, locate, networksOf, type Address } from '../research/panel/networks.js';
import { replayTraffic } from '../research/panel/replay.js';
import type { PanelSession } from '../research/panel/sessions.js';
import { drawTraffic } from '../research/panel/traffic.js';
import { scoreFacts } from '../workers/scoring/score.js';

const seed = 12;
const strangers = 600;
const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 5);
const studyId = 'study';

/** Honest first visits to one study within a day, each from its own address. */
function drawStrangers(): PanelSession[] {
  const people = new Set<string>();
  return drawTraffic({ seed, sessions: strangers * 5 })
    .filter(({ truth, probes }) => {
      const isNew = !truth.fraud && probes.length > 0 && !people.has(truth.person);
      people.add(truth.person);
      return isNew;
    })
    .slice(0, strangers)
    .map((session, n) => ({
      ...session,
      ...{ atMs: startMs + n * minuteMs, outcomes: [], request: { ...session.request, studyId } },
    }));
}

const [homeNetwork] = networksOf('home', 'US');
const [mobileNetwork] = networksOf('carrier', 'US');
if (homeNetwork === undefined || mobileNetwork === undefined) throw new Error('the panel has no such networks');
const home = addressAt(homeNetwork, 40_007);
const elsewhere = addressAt(mobileNetwork, 90);

function sessionOf({ message }: IdentityVisit, address: Address, n: number): PanelSession {
  const sessionId = `pair-${n}`;
  return {
    atMs: startMs + (strangers + 60 * n) * minuteMs,
    location: locate(address),
    outcomes: [],
    probes: [{ ...message, body: { ...message.body, sessionId } }],
    request: {
      sessionId,
      clientIp: address.ip,
      studyId,
      userAgent: message.transport.userAgent,
      respondentId: `r-${n}`,
    },
    truth: { fraud: false, label: 'bench', person: `p-${n}`, machine: 'm', repeat: null, operator: null },
  };
}

/** The band of the second visit, which names another respondent. */
async function bandOf({ first, second }: Pair, address: Address, around: readonly PanelSession[]): Promise<string> {
  const sessions = [...around, sessionOf(first, home, 0), sessionOf(second, address, 1)];
  const last = (await replayTraffic(sessions, { withProbe: true })).at(-1);
  if (last === undefined) throw new Error('nothing was replayed');
  return scoreFacts(last.facts).reply.duplicate.band;
}

interface Answers {
  readonly atHome: string;
  readonly away: string;
  readonly fingerprint: boolean;
  readonly thumbmark: boolean;
}

const isFound = (band: string): boolean => band === 'likely' || band === 'confirmed';

export async function benchIdentities(): Promise<BenchResult> {
  const around = drawStrangers();
  const judged: { readonly pair: Pair; readonly answers: Answers }[] = [];
  for (const pair of await visitPairs()) {
    const { first, second } = pair;
    const answers = {
      atHome: await bandOf(pair, home, around),
      away: await bandOf(pair, elsewhere, around),
      fingerprint: first.fingerprint === second.fingerprint,
      thumbmark: first.thumbmark === second.thumbmark,
    };
    judged.push({ pair, answers });
  }
  const share = (isSame: boolean, isYes: (answers: Answers) => boolean): string => {
    const of = judged.filter(({ pair }) => pair.isSame === isSame);
    return `${of.filter(({ answers }) => isYes(answers)).length} of ${of.length}`;
  };
  const columns = [
    ['score, same home address', ({ atHome }: Answers) => isFound(atHome)],
    ['score, another network', ({ away }: Answers) => isFound(away)],
    ['FingerprintJS', ({ fingerprint }: Answers) => fingerprint],
    ['ThumbmarkJS', ({ thumbmark }: Answers) => thumbmark],
  ] as const;
  const sameOr = (isEqual: boolean): string => (isEqual ? 'same' : 'other');
  const ratios = Object.fromEntries(
    columns.map(([name, isYes]) => {
      const same = judged.filter(({ pair }) => pair.isSame);
      return [name, same.filter(({ answers }) => isYes(answers)).length / same.length];
    }),
  );
  return {
    table: [
      markdownTable(
        ['likely the same device', ...columns.map(([name]) => name)],
        [true, false].map((isSame) => [
          isSame ? 'visits of one device, found' : 'other devices, taken for it',
          ...columns.map(([, isYes]) => share(isSame, isYes)),
        ]),
      ),
      markdownTable(
        ['device', 'second visit', ...columns.map(([name]) => name)],
        judged.map(({ pair, answers }) => [
          pair.isSame ? 'same' : 'another',
          pair.name,
          answers.atHome,
          answers.away,
          sameOr(answers.fingerprint),
          sameOr(answers.thumbmark),
        ]),
      ),
    ].join('\n'),
    ratios,
  };
}
