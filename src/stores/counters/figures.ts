/** The counts that are numbers, as receipts keep them: lists in this order. Only append. */
import type { CountFacts, Neighborhood } from '../../contract/facts.js';

type Figure = number | null | undefined;

type Figures = Omit<CountFacts, 'source' | 'terms' | 'candidates' | 'neighborhood'>;

const known = (figure: Figure): number | null => figure ?? null;

/** Written out: objects of names and values in turns are read several times slower. */
export const readFigures = (list: readonly Figure[]): Figures => ({
  deviceSessionsDay: known(list[0]),
  deviceRespondentsDay: known(list[1]),
  respondentDay: known(list[2]),
  respondentDevicesWeek: known(list[3]),
  addressDevicesHour: known(list[4]),
  addressRespondentsHour: known(list[5]),
  addressSessionsHour: known(list[6]),
  prefixSessionsHour: known(list[7]),
  prefixSessionsDay: known(list[8]),
  sharedAddressHour: known(list[9]),
  sharedAddressDay: known(list[10]),
  hostPeopleHour: known(list[11]),
});

export type SourceList = readonly [hour: number, mean: number, variance: number, hours: number];

export const readSource = (list: SourceList | false): CountFacts['source'] =>
  list === false ? null : { hour: list[0], mean: list[1], variance: list[2], hours: list[3] };

export const readNeighborhood = (list: readonly number[]): Neighborhood => ({
  sessions: list[0] ?? 0,
  direct: list[1] ?? 0,
  linked: list[2] ?? 0,
  prefixSessions: known(list[3]),
  prefixSquares: list[4] ?? 0,
  prefixes: list[5] ?? 0,
});

export const listNeighborhood = (of: Neighborhood): number[] => [
  of.sessions,
  of.direct,
  of.linked,
  of.prefixSessions ?? 0,
  of.prefixSquares,
  of.prefixes,
];

const figureNames = Object.keys(readFigures([])) as (keyof Figures)[];

export const listFigures = (figures: Figures): Figure[] => figureNames.map((name) => figures[name]);
