/** A session as numbers, axis by axis: all that the service may weigh, and nothing that the contract keeps out of risk (duplication, the declared country). NaN is not measured. */
import type { RiskAxis } from '../../src/contract/axes.js';
import type { HistoryRecord, ScoreFacts } from '../../src/contract/facts.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import { isHeadless, readUserAgent } from '../../src/contract/user-agent.js';
import { continentOf, continentOfZone } from '../../workers/scoring/network.js';

const classes = ['residential', 'mobile', 'hosting', 'anonymous', 'education', 'business', null];
const browsers = ['chrome', 'edge', 'firefox', 'safari', 'samsung', null];
const systems = ['windows', 'macos', 'ios', 'android', 'linux', null];
const zones = ['UTC', 'Africa/', 'America/', 'Asia/', 'Europe/'];

const number = (value: number | null | undefined): number => value ?? Number.NaN;
const flag = (value: boolean | null | undefined): number => (value == null ? Number.NaN : Number(value));

export function observeAxes(facts: ScoreFacts): Readonly<Record<RiskAxis, readonly number[]>> {
  return {
    network: observeNetwork(facts),
    device: observeDevice(facts),
    velocity: observeVelocity(facts),
    behavior: observeBehavior(facts.probe?.body ?? null),
    history: observeHistory(facts),
  };
}

function observeNetwork({ address, probe }: ScoreFacts): number[] {
  const zone = probe?.body.loc?.zone ?? null;
  const there = address.country === null ? null : continentOf(address.country);
  const kept = zone === null ? null : continentOfZone(zone);
  return [
    classes.indexOf(address.network),
    number(address.asn),
    address.family,
    flag(kept === null || there === null ? null : there.includes(kept)),
    zone === null ? Number.NaN : zones.findIndex((start) => zone.startsWith(start)),
    number(probe?.body.loc?.offset),
    flag(address.country === null ? null : probe?.body.loc?.language?.endsWith(`-${address.country}`)),
  ];
}

function observeDevice({ probe, userAgent }: ScoreFacts): number[] {
  const agent = readUserAgent(probe?.body.ua?.ua ?? userAgent);
  const body = probe?.body ?? null;
  const lies = body?.lies ?? null;
  const count = (start: string): number =>
    lies === null ? Number.NaN : lies.filter((lie) => lie.startsWith(start)).length;
  const [asked, shown] = [probe?.transport.acceptLanguage?.slice(0, 5), body?.loc?.language];
  return [
    Number(probe === null),
    systems.indexOf(agent?.os ?? null),
    browsers.indexOf(agent?.browser ?? null),
    number(agent?.major),
    Number(isHeadless(userAgent ?? '')),
    flag(body?.auto?.webdriver),
    number(body?.auto?.globals?.length),
    flag(body?.auto?.debugStack),
    flag(body?.auto?.debugGetter),
    count('proxy.'),
    count('proxy.toDataURL') +
      count('proxy.getImageData') +
      count('proxy.getParameter') +
      count('proxy.getChannelData'),
    count('worker.'),
    count('frame.'),
    count('own.'),
    number(body?.gaps?.length),
    flag(body?.gfx?.renderer?.includes('SwiftShader')),
    flag(body?.gfx?.renderer?.includes('Direct3D')),
    number(body?.hw?.cores),
    number(body?.hw?.memory),
    number(body?.hw?.touch),
    number(body?.hw?.platform?.length),
    number(body?.scr?.w),
    number(body?.scr?.dpr),
    number((body?.scr?.outerH ?? Number.NaN) - (body?.scr?.innerH ?? Number.NaN)),
    flag(asked === undefined || shown == null ? null : asked.slice(0, 2) === shown.slice(0, 2)),
    flag(body === null ? null : probe?.transport.userAgent === body.ua?.ua),
    flag(body?.ids?.token === undefined ? null : body.ids.token !== null),
    flag(body?.page?.framed),
    number(body?.page?.blurs),
  ];
}

function observeVelocity({ counts, scoredAtMs }: ScoreFacts): number[] {
  const { source = null } = counts ?? {};
  return [
    (scoredAtMs / 3_600_000) % 24,
    number(counts?.deviceRespondentsDay),
    number(counts?.addressDevicesHour),
    number(counts?.addressRespondentsHour),
    number(counts?.addressSessionsHour),
    number(counts?.prefixSessionsHour),
    number(counts?.prefixSessionsDay),
    number(counts?.sharedAddressHour),
    number(counts?.sharedAddressDay),
    number(counts?.hostPeopleHour),
    number(source?.hour),
    number(source?.mean),
  ];
}

const sampleNames = [
  'interval',
  'turn',
  'coalesced',
  'clickDwell',
  'clickSettle',
  'clickCentre',
  'keyDwell',
  'keyFlight',
  'touchForce',
  'touchRadius',
  'motion',
] as const;
const countNames = [
  'ms',
  'moves',
  'straight',
  'clicks',
  'clickBare',
  'pressureZero',
  'keys',
  'keyNoCode',
  'inputNoKey',
  'wheels',
  'wheelLies',
  'scrolls',
  'touches',
  'pasteChars',
  'untrusted',
] as const;

function observeBehavior(body: ProbeBody | null): number[] {
  const beh = body?.beh ?? null;
  const times = (body?.q ?? []).map(({ timeOnQuestionMs }) => Math.log(timeOnQuestionMs));
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const spread = Math.sqrt(times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length);
  return [
    ...countNames.map((name) => number(beh?.[name])),
    ...sampleNames.flatMap((name) => {
      const [, average = Number.NaN, deviation = Number.NaN, , most = Number.NaN] = beh?.[name] ?? [];
      return [average, deviation / average, most];
    }),
    number((beh?.clickBare ?? Number.NaN) / (beh?.clicks ?? Number.NaN)),
    number((beh?.moves ?? Number.NaN) / (beh?.clicks ?? Number.NaN)),
    times.length === 0 ? Number.NaN : mean,
    times.length === 0 ? Number.NaN : spread,
  ];
}

function observeHistory({ history }: ScoreFacts): number[] {
  const of = (record: HistoryRecord | null | undefined): number[] => [
    number(record?.n),
    number(record?.pending),
    record == null ? Number.NaN : (record.fraud + 0.2) / (record.n + 4),
  ];
  return [
    ...of(history?.respondent),
    number(history?.respondent?.confirmedClawbacks),
    ...of(history?.source),
    ...of(history?.subSource),
    ...of(history?.device),
    ...of(history?.range),
    ...of(history?.network),
    ...of(history?.study),
  ];
}
