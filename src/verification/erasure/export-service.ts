/**
 * Exports what is held about a respondent, by the names and the conditions that erase it. A page ends within any kind; each is read as it is
 * then, so that what changes between two pages may be missed or come late. The audit trail names a keyed hash, never the respondent.
 */
import { recordAudit, type Actor } from '../../administration/audit.js';
import { readRecords, type RecordSource, type RespondentNames } from '../../administration/respondent-records.js';
import type { PageQuery } from '../../contract/paging.js';
import {
  respondentRecordKinds,
  type RespondentExport,
  type RespondentRecord,
} from '../../contract/respondent-export.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { cutPage, readCursor } from '../../kernel/paging.js';
import { pageDefault } from '../../limits.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { ErasedRespondent } from './erasure-service.js';

export interface ExportDeps {
  readonly database: Database;
  readonly makeRef: MakeRef;
  /** One for each kind. */
  readonly sources: readonly RecordSource[];
  readonly findNames: (respondent: ErasedRespondent) => Promise<RespondentNames>;
}

export type ExportService = ReturnType<typeof createExportService>;

/** The kind and the id of the last record of the page before. */
const cursorForm = new RegExp(`^(?:${respondentRecordKinds.join('|')}) .{1,200}$`, 's');

export function createExportService({ database, makeRef, sources, findNames }: ExportDeps) {
  const ordered = respondentRecordKinds.map((kind) => {
    const source = sources.find((each) => each.kind === kind);
    if (source === undefined) throw new Error(`nothing reads records of the kind ${kind}`);
    return source;
  });
  return {
    async export(
      actor: Actor,
      respondent: ErasedRespondent,
      { limit = pageDefault, cursor }: PageQuery,
    ): Promise<RespondentExport> {
      const { organizationId, projectId, respondentId } = respondent;
      const last = readCursor(cursor, cursorForm) ?? ' ';
      const [kind, after] = [last.slice(0, last.indexOf(' ')), last.slice(last.indexOf(' ') + 1)];
      const names = await findNames(respondent);
      const found: RespondentRecord[] = [];
      for (const source of ordered.slice(
        Math.max(
          0,
          ordered.findIndex((each) => each.kind === kind),
        ),
      )) {
        const page = { after: source.kind === kind ? after : '', limit: limit + 1 - found.length };
        found.push(...(await readRecords(database, names, source, page)));
        if (found.length > limit) break;
      }
      const { items, nextCursor } = cutPage(found, limit, (record) => `${record.kind} ${record.id}`);
      await inOrganization(database, organizationId, (tx) =>
        recordAudit(tx, actor, {
          organizationId,
          action: 'respondent.exported',
          subject: { kind: 'project', id: projectId },
          detail: { respondent: makeRef(projectId, 'erased', respondentId), records: items.length },
        }),
      );
      return { records: [...items], nextCursor };
    },
  };
}
