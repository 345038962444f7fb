/** Reports: scores by source and day, their outcomes, and whether scores are calibrated. */
import type { CallOptions, Recommendation } from './api.js';
import type { CalibrationReply, MixDay, SourceReport } from '../contract.js';
import { unexpected } from './errors.js';
import { checkNames, callNames, type Names } from './settings.js';
import type { Call } from './transport.js';

export type { MixDay, SourceReport };
export type CalibrationReport = CalibrationReply;
/** A value with its 95% interval. */
export type Estimate = NonNullable<SourceReport['drift']>;
export type Mix = Readonly<Record<Recommendation, number>>;

export interface ProjectQuery extends CallOptions {
  /** Needed with an organization key. */
  readonly projectId?: string;
}
export interface SourceQuery extends ProjectQuery {
  readonly sourceId?: string;
}
export interface MixQuery extends SourceQuery {
  /** ISO 8601; whole UTC days, both included. Default: the last 30 days. */
  readonly from?: string;
  readonly to?: string;
}

export interface Reports {
  /** Sessions by recommendation, day and source. */
  mix(query?: MixQuery): Promise<readonly MixDay[]>;
  /** The league of sources, the worst first. */
  sources(query?: ProjectQuery): Promise<readonly SourceReport[]>;
  calibration(query?: SourceQuery): Promise<CalibrationReport>;
}

const projectNames = { projectId: true, ...callNames } as const satisfies Names<ProjectQuery>;
const sourceNames = { sourceId: true, ...projectNames } as const satisfies Names<SourceQuery>;
const mixNames = { from: true, to: true, ...sourceNames } as const satisfies Names<MixQuery>;

/** Reports read much: they have more time than a score. */
const times = { deadlineMs: 30_000, attemptMs: 15_000 };

export function createReports(call: Call): Reports {
  const ask = async <T extends ProjectQuery>(name: string, given: T, names: Names<T>, needed: string) => {
    checkNames(`reports.${name}`, given, names);
    const { deadlineMs, signal, ...query } = given;
    const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const path = asked.length === 0 ? `/lite/${name}` : `/lite/${name}?${new URLSearchParams(asked).toString()}`;
    const options = { ...(deadlineMs !== undefined && { deadlineMs }), ...(signal !== undefined && { signal }) };
    const reply = await call({ path, times }, options);
    if (!Array.isArray(reply[needed])) throw unexpected(`lite/${name}`);
    return reply as unknown;
  };
  return {
    mix: async (query = {}) => ((await ask('mix', query, mixNames, 'days')) as { days: MixDay[] }).days,
    sources: async (query = {}) =>
      ((await ask('sources', query, projectNames, 'sources')) as { sources: SourceReport[] }).sources,
    calibration: async (query = {}) => (await ask('calibration', query, sourceNames, 'bands')) as CalibrationReport,
  };
}
