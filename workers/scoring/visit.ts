/**
 * What the axes share of one session: the facts, the probe where one is usable, and the user agents, each read once.
 */
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import { readUserAgent, type UserAgent } from './user-agent.js';

export interface Visit {
  readonly facts: ScoreFacts;
  readonly body: ProbeBody | null;
  readonly transport: ProbeTransport | null;
  /** Whether the probe measured the device: only then can a session be called human. */
  readonly measured: boolean;
  /** As the page read it, as the probe’s own request carried it, and as the caller passed it on. */
  readonly pageAgent: UserAgent | null;
  readonly transportAgent: UserAgent | null;
  readonly callerAgent: UserAgent | null;
  /** The one nearest to the browser; null where none is known. */
  readonly agent: UserAgent | null;
}

export function readVisit(facts: ScoreFacts): Visit {
  const body = facts.probe?.body ?? null;
  const transport = facts.probe?.transport ?? null;
  const pageAgent = readUserAgent(body?.ua?.ua);
  const transportAgent = sameOrRead(pageAgent, transport?.userAgent);
  const callerAgent = sameOrRead(pageAgent, facts.userAgent);
  return {
    facts,
    body,
    transport,
    measured: pageAgent !== null || typeof body?.auto?.webdriver === 'boolean',
    pageAgent,
    transportAgent,
    callerAgent,
    agent: transportAgent ?? pageAgent ?? callerAgent,
  };
}

function sameOrRead(known: UserAgent | null, text: string | null | undefined): UserAgent | null {
  return known !== null && known.text === text ? known : readUserAgent(text);
}
