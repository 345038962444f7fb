/** Completes that are rejected and restored, over a handle of the database. */
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { operator } from '../../src/administration/audit.js';
import { createDisputeService } from '../../src/audience/dispute-service.js';
import { createPlaceSettlement } from '../../src/audience/place-settlement.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import { createStudyService } from '../../src/audience/study-service.js';
import { findStudy, readQuotas, type Study } from '../../src/audience/study-store.js';
import { reportStudy } from '../../src/audience/study-report.js';
import type { ReasonClass } from '../../src/contract/outcome.js';
import type { StudyPatch } from '../../src/contract/study.js';
import type { ReturnStatus } from '../../src/contract/study-returns.js';
import type { DisputeRow } from '../../src/contract/study-disputes.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';
import { instanceOf, tokenOf } from './reservations.js';

const actor = operator;
export const current = async (tx: Queryable, { studyId }: Study): Promise<Study> => {
  const study = await findStudy(tx, studyId);
  if (study === null) throw new Error('no study');
  return study;
};

/** Everything that a study shows of its places. */
export const figuresOf = async (database: Database, study: Study) => ({
  study: await current(database, study),
  quotas: await readQuotas(database, study.studyId),
  suppliers: await reportStudy(database, await current(database, study), 'supplier'),
  days: await reportStudy(database, await current(database, study), 'day'),
});

export async function reversalsOf(t: Test, database: Database) {
  const instance = await instanceOf(t, database, randomBytes(32));
  const rejected = new Map<string, ReasonClass>();
  const findRejections = () => Promise.resolve(new Map(rejected));
  const disputes = createDisputeService({
    ...{ database, reportOutcomes: instance.reportOutcomes, findRejections, now: Date.now },
  });
  const callerOf = ({ organizationId, projectId, isTest }: Study) => ({
    organizationId,
    projectId,
    isTest,
    lineage: 'key_1',
  });
  const studies = createStudyService({
    ...{ database, environment: 'development', audienceUrl: () => 'https://audience.example/v1' },
    secrets: createSecretStore(new Uint8Array(32)),
    findProjectOwner: () => Promise.reject(new Error('not asked')),
    liteEnabled: () => Promise.reject(new Error('not asked')),
  });
  return {
    instance,
    patch: (study: Study, patch: StudyPatch) => studies.update(actor, callerOf(study), study.studyId, patch),
    rejected,
    settle: createPlaceSettlement({ database, findRejections }),
    dispute: (study: Study, rows: readonly DisputeRow[]) =>
      disputes.dispute(actor, callerOf(study), study.studyId, rows),
    /** By the owner’s key. */
    reportAsOwner: (study: Study, place: string, status: ReturnStatus) =>
      instance.returns.report({ owner: callerOf(study) }, study.studyId, { place, status }),
    withdraw: (study: Study, place: string) => disputes.withdraw(actor, callerOf(study), study.studyId, place),
    /** A respondent who completed, confirmed by the survey. */
    complete: async (study: Study, rid: string, gender: string | null = null): Promise<string> => {
      const token = tokenOf(await instance.enter(study, rid, gender));
      const { place } = await instance.report(study, token, 'complete');
      return place;
    },
  };
}
