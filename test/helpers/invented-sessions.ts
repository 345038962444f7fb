/** A month of invented sessions. Seeded: the same seed invents the same month. Every session says in its id that it is invented. Pure. */
import type { CountFacts, NetworkClass } from '../../src/contract/facts.js';
import type { OutcomeEvent } from '../../src/contract/outcome.js';
import { firstVisit } from '../../src/contract/person-example.js';
import type { ScoreInput } from '../../src/contract/score.js';

export interface InventedSession {
  readonly atMs: number;
  readonly request: ScoreInput;
  readonly network: NetworkClass;
  readonly counts: CountFacts;
  /** The session’s outcomes; empty for the many without any. */
  readonly outcomes: readonly OutcomeEvent[];
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const days = 30;
/** The share of fraudulent sessions per supplier. */
const suppliers = [
  { name: 'invented-supplier-a', fraud: 0.04 },
  { name: 'invented-supplier-b', fraud: 0.1 },
  { name: 'invented-supplier-c', fraud: 0.3 },
] as const;
const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const script = 'python-requests/2.32.4';
/** Without a probe no device is known. */
const alone: CountFacts = {
  ...firstVisit,
  deviceSessionsDay: null,
  deviceRespondentsDay: null,
  respondentDevicesWeek: null,
  addressDevicesHour: null,
};

/** Invents the sessions of the thirty days that end at `endsMs`. `random` gives numbers in [0, 1). */
export function inventSessions(count: number, endsMs: number, random: () => number): readonly InventedSession[] {
  return Array.from({ length: count }, (_, index) => inventSession(index, count, endsMs, random));
}

function inventSession(index: number, count: number, endsMs: number, random: () => number): InventedSession {
  const supplier = suppliers[Math.floor(random() * suppliers.length)] ?? suppliers[0];
  const isFraud = random() < supplier.fraud;
  const atMs = Math.floor(endsMs - days * dayMs * (1 - index / count));
  const sessionId = `invented-${index}`;
  const looks = isFraud ? fraudLooks(random) : honestLooks(random);
  return {
    atMs,
    request: {
      sessionId,
      clientIp: `8.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}.${1 + Math.floor(random() * 250)}`,
      userAgent: looks.userAgent,
      sourceId: supplier.name,
      studyId: `invented-study-${index % 5}`,
      respondentId: `invented-respondent-${index}`,
    },
    network: looks.network,
    counts: { ...alone, addressRespondentsHour: looks.together, addressSessionsHour: looks.together, respondentDay: 1 },
    outcomes: inventOutcomes(sessionId, atMs, isFraud, random),
  };
}

interface Looks {
  readonly userAgent: string;
  readonly network: NetworkClass;
  /** Respondents of its address within an hour. */
  readonly together: number;
}

/** Honest people, some of them behind a VPN, in a company’s network, or many in one household. */
function honestLooks(random: () => number): Looks {
  const draw = random();
  if (draw < 0.1) return { userAgent: browser, network: 'anonymous', together: 1 };
  if (draw < 0.13) return { userAgent: browser, network: 'hosting', together: 1 };
  return { userAgent: browser, network: draw < 0.5 ? 'mobile' : 'residential', together: random() < 0.03 ? 4 : 1 };
}

/** Scripts, farms, and a third that nothing gives away. */
function fraudLooks(random: () => number): Looks {
  const draw = random();
  if (draw < 0.4) return { userAgent: script, network: 'hosting', together: 5 + Math.floor(random() * 40) };
  if (draw < 0.7) return { userAgent: browser, network: 'hosting', together: 8 + Math.floor(random() * 60) };
  return { userAgent: browser, network: 'residential', together: 1 };
}

/** Most are heard of: completions within hours, reversals for fraud after weeks. */
function inventOutcomes(
  sessionId: string,
  atMs: number,
  isFraud: boolean,
  random: () => number,
): readonly OutcomeEvent[] {
  const at = (afterMs: number): string => new Date(atMs + afterMs).toISOString();
  if (random() < 0.15) return [];
  const complete = { sessionId, type: 'complete', occurredAt: at(hourMs * (1 + random())) } as const;
  if (!isFraud || random() < 0.03) return [complete];
  const reversedAt = at(dayMs * (5 + Math.floor(random() * 40)));
  return [complete, { sessionId, type: 'buyer_reject', occurredAt: reversedAt, reasonClass: 'fraud' }];
}
