/** The axes share this view of one session: facts, page loads and user agents, read once; and whether the session is measured. */
import type { ProbeFacts, ScoreFacts } from '../../src/contract/facts.js';
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import { readUserAgent, type UserAgent } from '../../src/contract/user-agent.js';

/** One page load, as the probe reported it. */
export interface Page {
  /** A message of a page that a later one of the same page stands for; it is looked at for what it says against the session only. */
  readonly replaced: boolean;
  readonly body: ProbeBody;
  readonly transport: ProbeTransport;
  readonly update: ProbeFacts['update'];
  /** The user agent in the page, and in the probe’s own request. */
  readonly pageAgent: UserAgent | null;
  readonly transportAgent: UserAgent | null;
  /** The one nearest to the browser; null where none is known. */
  readonly agent: UserAgent | null;
}

export interface Visit {
  readonly facts: ScoreFacts;
  /** The page that the device is known by first, then the others; none where no probe came. */
  readonly pages: readonly Page[];
  /** Whether a probe reported enough of the device: only then can a session be called human. */
  readonly deviceMeasured: boolean;
  /** The user agent that the caller passed on. */
  readonly callerAgent: UserAgent | null;
  /** The one nearest to the browser of the first page, else the caller’s; null where none is known. */
  readonly agent: UserAgent | null;
}

/** The least that a probe must report for the device to count as measured: enough signals in so many groups. */
export const measuredThresholds = {
  groups: ['hw', 'scr', 'loc', 'gfx', 'env'],
  groupsMin: 3,
  valuesPerGroupMin: 2,
} as const;

export function readVisit(facts: ScoreFacts): Visit {
  const { probe } = facts;
  const pages = probe === null ? [] : readPages([probe, ...(probe.others ?? [])]);
  const [first] = pages;
  const callerAgent = sameOrRead(first?.pageAgent ?? null, facts.userAgent);
  return { facts, pages, deviceMeasured: pages.some(isMeasured), callerAgent, agent: first?.agent ?? callerAgent };
}

/** The body with the highest seq represents the page, if several have one nonce. */
function readPages(bodies: readonly ProbeFacts[]): Page[] {
  const newest = new Map<string, ProbeFacts>();
  for (const facts of bodies) {
    const known = newest.get(facts.body.nonce);
    if (known === undefined || facts.body.seq > known.body.seq) newest.set(facts.body.nonce, facts);
  }
  return bodies.map((facts) => readPage(facts, newest.get(facts.body.nonce) !== facts));
}

/** The message that took the place of a replaced one; none for any other. */
export const newestOf = ({ replaced, body }: Page, pages: readonly Page[]): Page | undefined =>
  replaced
    ? pages.find((page) => page.body.nonce === body.nonce && page.body.seq > body.seq && !page.replaced)
    : undefined;

export function readPage({ body, transport, update }: ProbeFacts, replaced = false): Page {
  const pageAgent = readUserAgent(body.ua?.ua);
  const transportAgent = sameOrRead(pageAgent, transport.userAgent);
  return { replaced, body, transport, update, pageAgent, transportAgent, agent: transportAgent ?? pageAgent };
}

/**
 * Measured: user agent, whether a program drives the page, its contradictions, and two values in three of the groups. Less can be typed by
 * hand.
 */
function isMeasured({ body, pageAgent }: Page): boolean {
  const { groups, groupsMin, valuesPerGroupMin } = measuredThresholds;
  if (pageAgent === null || typeof body.auto?.webdriver !== 'boolean' || body.lies == null) return false;
  const known = groups.filter((name) => countKnown(body[name]) >= valuesPerGroupMin);
  return known.length >= groupsMin;
}

function countKnown(group: Readonly<Record<string, unknown>> | undefined): number {
  let known = 0;
  for (const name in group) if (group[name] != null) known += 1;
  return known;
}

function sameOrRead(known: UserAgent | null, text: string | null | undefined): UserAgent | null {
  return known !== null && known.text === text ? known : readUserAgent(text);
}
