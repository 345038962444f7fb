/** Erasure and export of a respondent, of what every capability keeps, by the same names and conditions. */
import { eraseLinks } from '../administration/hosted-links.js';
import { linkRecords } from '../administration/link-records.js';
import { walkDeadlineMs, type RecordSource, type RespondentNames } from '../administration/respondent-records.js';
import { findRespondentRefs, ofRespondent as placesOfRespondent } from '../audience/reservation-erasure.js';
import { createRespondentErasure } from '../audience/respondent-erasure.js';
import { placeRecords } from '../audience/respondent-records.js';
import type { MakeRef } from '../crypto/master-key.js';
import { respondentSubject } from '../scoring/gather.js';
import type { Settings } from '../config/settings.js';
import { eraseRespondentScores, ofSubjects } from '../scoring/receipts/respondent-erasure.js';
import { scoringRecords } from '../scoring/receipts/respondent-records.js';
import { namespacesOf } from '../stores/counters/namespace.js';
import type { Counters } from '../stores/counters/port.js';
import type { Database, SqlValue } from '../stores/database/port.js';
import { countUnreadable, eraseLetters } from '../stores/log/dead-letters/erasure.js';
import { eraseEvents, isEventOf } from '../stores/outbox/outbox.js';
import {
  createErasureService,
  type ErasedRespondent,
  type ErasureDeps,
  type ErasureService,
} from '../verification/erasure/erasure-service.js';
import { createExportService, type ExportService } from '../verification/erasure/export-service.js';
import { ofRespondent } from '../verification/sessions/session-store.js';
import { verificationRecords } from '../verification/erasure/records.js';
import { eraseFlags } from '../verification/monitoring/flag-store.js';
import { markErasedSessions } from '../webhooks/payload-erasure.js';
import { webhookRecords } from '../webhooks/respondent-records.js';
import { eraseDeliveries, eraseElsewhere } from './erasure-of-places.js';

export const recordSources: readonly RecordSource[] = [
  ...verificationRecords,
  ...scoringRecords,
  ...[placeRecords, linkRecords, webhookRecords],
];

export const openExport = (database: Database, makeRef: MakeRef): ExportService =>
  createExportService({
    ...{ database, makeRef, sources: recordSources },
    findNames: (respondent) => findNames(database, makeRef, respondent),
  });

async function findNames(database: Database, makeRef: MakeRef, respondent: ErasedRespondent): Promise<RespondentNames> {
  const { organizationId, projectId, respondentId } = respondent;
  const respondentIds = [respondentId, ...(await findRespondentRefs(database, respondent))];
  const namespaces = namespacesOf(projectId);
  const subjects = respondentIds.map((id) => respondentSubject(makeRef, projectId, id));
  const find = async (columns: string, where: string, values: readonly SqlValue[]): Promise<readonly string[]> =>
    (
      await database.query<{ name: string }>(`SELECT ${columns} AS name FROM ${where}`, values, {
        deadlineMs: walkDeadlineMs,
      })
    ).map(({ name }) => name);
  const found = await Promise.all([
    find('session_id', `verification_sessions WHERE ${ofRespondent}`, [projectId, respondentIds]),
    find('session_id', `session_index WHERE ${ofSubjects}`, [namespaces, subjects]),
    find('place_id', `study_places WHERE ${placesOfRespondent}`, [projectId, respondentId]),
  ]);
  const refs = await find('session_ref', `receipts WHERE ${ofSubjects}`, [namespaces, subjects]);
  const sessionIds = [...new Set(found.flat())];
  const sessionRefs = [...new Set([...sessionIds.map((id) => makeRef(projectId, 'session', id)), ...refs])];
  return { organizationId, projectId, respondentIds, namespaces, subjects, sessionIds, sessionRefs };
}

interface ErasureParts {
  readonly settings: Pick<Settings, 'VH_UNREADABLE_DAYS'>;
  readonly database: Database;
  readonly counters: Pick<Counters, 'forgetReceipts' | 'forgetProbes'>;
  readonly now: () => number;
}

export function openErasures(
  { settings, database, counters, now }: ErasureParts,
  makeRef: MakeRef,
  forget: ErasureDeps['forget'],
): ErasureService {
  const names = createErasureService({
    database,
    makeRef,
    erasePayloads: async (tx, projectId, ids) =>
      (await eraseEvents(tx, projectId, ids)) + (await eraseDeliveries(tx, projectId, ids)),
    markSessions: markErasedSessions,
    eraseLetters: (projectId, ids) =>
      eraseLetters(database, 'verifications', (value) => isEventOf(value, projectId, ids)),
    ...{ eraseFlags, eraseLinks },
    countUnreadable: () => countUnreadable(database),
    unreadableDays: settings.VH_UNREADABLE_DAYS,
    forget,
    now,
    eraseScores: (projectId, respondentId) =>
      eraseRespondentScores({ database, counters, makeRef }, projectId, respondentId),
  });
  return { erase: createRespondentErasure({ database, eraseName: names.erase, eraseElsewhere }) };
}
