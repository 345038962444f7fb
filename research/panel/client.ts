/** Sends simulated sessions to a served instance as a page and a customer’s backend would: probe, score, outcomes. In real time, whatever their own. */
import type { ScoreReply } from '../../src/contract/score.js';
import { bulkEventsMax, type OutcomeReply } from '../../src/contract/outcome.js';
import type { PanelSession } from './sessions.js';

export interface ServedInstance {
  /** Up to and with /api/v1. */
  readonly baseUrl: string;
  readonly projectKey: string;
  readonly probeKey: string;
}

export interface SentTraffic {
  readonly replies: readonly ScoreReply[];
  readonly outcomes: readonly OutcomeReply[];
}

/** Throws where anything is refused. Outcomes are sent as if they had happened by now. */
export async function sendTraffic(instance: ServedInstance, sessions: readonly PanelSession[]): Promise<SentTraffic> {
  const { baseUrl, projectKey, probeKey } = instance;
  const key = { 'x-api-key': projectKey };
  const replies: ScoreReply[] = [];
  for (const { probes, request } of sessions) {
    for (const { body, transport } of probes)
      await post(`${baseUrl}/public/lite/probe`, { ...body, projectKey: probeKey }, headersOf(transport));
    replies.push((await post(`${baseUrl}/lite/score`, request, key)) as ScoreReply);
  }
  const occurredAt = new Date().toISOString();
  const events = sessions.flatMap(({ outcomes }) => outcomes.map((event) => ({ ...event, occurredAt })));
  const outcomes: OutcomeReply[] = [];
  for (let from = 0; from < events.length; from += bulkEventsMax)
    outcomes.push(
      (await post(`${baseUrl}/lite/events`, { events: events.slice(from, from + bulkEventsMax) }, key)) as OutcomeReply,
    );
  return { replies, outcomes };
}

function headersOf({
  userAgent,
  acceptLanguage,
  hintPlatform,
  hintMobile,
}: PanelSession['probes'][number]['transport']) {
  const headers: Record<string, string | null> = {
    'user-agent': userAgent,
    'accept-language': acceptLanguage,
    'sec-ch-ua-platform': hintPlatform,
    'sec-ch-ua-mobile': hintMobile,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
