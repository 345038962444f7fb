/** Routes of studies, and of open studies for suppliers. A project key sees its project’s, an organization key all of the organization’s. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { GuardedAccess } from '../http/access-declaration.js';
import { actorOf } from '../administration/audit.js';
import { StringEnum } from '../contract/common.js';
import { ListQuery, pageFields, PageQuery } from '../contract/paging.js';
import { StudyCreation, StudyPatch } from '../contract/study.js';
import { CreatedStudyReply, RespondentPage, StudyPage, StudyReply, SupplyPage } from '../contract/study-replies.js';
import { reportGroupings, StudyReport } from '../contract/study-report.js';
import { keyCaller, requireRole } from '../http/access.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { acceptEmptyBodies, registerStorableText } from '../http/json-body.js';
import { notFound } from '../kernel/faults.js';
import { readPage } from '../kernel/paging.js';
import { callerIdLengthMax } from '../limits.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { creationExample, patchExample } from './examples.js';
import { exportFormats, exportRespondents, listRespondents, shownStatuses } from './export.js';
import type { StudyCaller } from './study-creation.js';
import { reportAsCsv } from './study-report.js';
import type { StudyService } from './study-service.js';
import { requireStudy } from './study-store.js';
import { studyActions, type StudyAction } from '../contract/study-moves.js';

export interface StudyRouteDeps {
  readonly database: Database;
  readonly studies: StudyService;
}

/** Write access, which is blocked after the trial. Reading, securing and ending stay possible. */
export const working: GuardedAccess = {
  credential: 'api-key',
  scope: 'audience:write',
  oauth: ['audience:write'],
  modes: ['live', 'test'],
};
export const access: GuardedAccess = { ...working, afterTrial: true };
/** Also for people with a dashboard token, who see the organization’s live studies: members read, admins move and change them. */
const reading: GuardedAccess = { ...access, credential: 'dashboard-or-key', role: 'member' };
const moving: GuardedAccess = { ...working, credential: 'dashboard-or-key', role: 'admin' };

/** Whose studies a request is about. */
function ownerOf({ caller }: FastifyRequest): StudyCaller {
  if (caller === null) throw new Error('the route does not require a credential');
  if (caller.kind === 'key') return caller;
  return { organizationId: caller.organizationId, projectId: null, lineage: '', isTest: false };
}

/** The same within one project, if the request names one. */
function narrowed(owner: StudyCaller, projectId: string | undefined): StudyCaller {
  if (projectId === undefined) return owner;
  if (owner.projectId !== null && owner.projectId !== projectId) throw notFound('project');
  return { ...owner, projectId };
}

export const StudyParams = Type.Object({ studyId: Type.String({ maxLength: 128 }) });
export const item = '/studies/:studyId';
const route = routesOf('Studies');
const Token = Type.Optional(
  StringEnum(['on', 'off'], {
    description: 'on: with the vh_token of each respondent, for keys and the roles admin and owner. Default off.',
  }),
);
const reportFormats = ['json', 'csv'] as const;

export function registerStudyRoutes(app: FastifyInstance, deps: StudyRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerCollection(scope, deps);
    registerItem(scope, deps);
    registerReport(scope, deps);
    registerPeople(scope, deps);
    registerExport(scope, deps);
    void scope.register(async (inner) => {
      acceptEmptyBodies(inner);
      for (const action of studyActions) registerAction(inner, deps, action);
    });
  });
}

function registerCollection(app: FastifyInstance, { studies }: StudyRouteDeps): void {
  app.post(
    '/studies',
    route(working, {
      operationId: 'createStudy',
      summary: 'Create a study, as a draft',
      description:
        'Nothing is fielded before it is launched. See docs/reference/studies.md for how respondents enter and return.',
      body: { ...StudyCreation, examples: [creationExample] },
      response: { 201: CreatedStudyReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request, reply) =>
      reply.code(201).send(await studies.create(actorOf(request), keyCaller(request), request.body)),
  );
  app.get(
    '/studies',
    route(reading, {
      operationId: 'listStudies',
      summary: 'List studies with their progress, newest first',
      description: 'A page at a time: pass nextCursor on as cursor until it is null.',
      querystring: ListQuery({
        ...pageFields,
        projectId: Type.Optional(Type.String({ maxLength: 128, description: 'Only studies of this project.' })),
      }),
      response: { 200: StudyPage, ...errorReplies([400, 401, 403, 429]) },
    }),
    async (request) => studies.list(narrowed(ownerOf(request), request.query.projectId), readPage(request.query)),
  );
  app.get(
    '/supply/studies',
    routesOf('Supply')(access, {
      operationId: 'listSupply',
      summary: 'List the open studies of the organization, for a supplier',
      description:
        'With the key of the supplier’s own project: what is needed to send respondents, and nothing else of the study.',
      querystring: PageQuery,
      response: { 200: SupplyPage, ...errorReplies([400, 401, 403, 429]) },
    }),
    async (request) => studies.supply(keyCaller(request), readPage(request.query)),
  );
}

function registerItem(app: FastifyInstance, { studies }: StudyRouteDeps): void {
  app.get(
    item,
    route(reading, {
      operationId: 'getStudy',
      summary: 'Read a study with its progress',
      params: StudyParams,
      response: { 200: StudyReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => studies.read(ownerOf(request), request.params.studyId),
  );
  app.patch(
    item,
    route(
      moving,
      {
        operationId: 'updateStudy',
        summary: 'Change the name, sample size, quotas, suppliers or limits of a study',
        description:
          'Merges the body: omitted fields keep their values, and quotas replace all. Limits below the verified respondents are a conflict.',
        params: StudyParams,
        body: { ...StudyPatch, examples: [patchExample] },
        response: { 200: StudyReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
      },
      'recount',
    ),
    async (request) => studies.update(actorOf(request), ownerOf(request), request.params.studyId, request.body),
  );
}

const summaries: Readonly<Record<StudyAction, string>> = {
  launch: 'Open a draft for respondents',
  pause: 'Let no new respondents in',
  resume: 'Let respondents in again',
  close: 'End a study: who holds a place may finish',
  cancel: 'Cancel a study and stop counting respondents',
};

function registerAction(app: FastifyInstance, { studies }: StudyRouteDeps, action: StudyAction): void {
  const own = action === 'launch' || action === 'resume' ? moving : { ...moving, afterTrial: true as const };
  app.post(
    `${item}/${action}`,
    route(own, {
      operationId: `${action}Study`,
      summary: summaries[action],
      params: StudyParams,
      response: { 200: StudyReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request) => studies.act(actorOf(request), ownerOf(request), request.params.studyId, action),
  );
}

function registerReport(app: FastifyInstance, { studies }: StudyRouteDeps): void {
  app.get(
    `${item}/report`,
    route(reading, {
      operationId: 'reportStudy',
      summary: 'Report what became of the respondents of a study, by supplier, source or day',
      description:
        'Counts in real time: entries, refusals by reason, completes, rejections, the median time, and who took more than one place.',
      params: StudyParams,
      querystring: ListQuery({
        by: Type.Optional(
          StringEnum(reportGroupings, { description: 'Default supplier. source: open links by `src`, too.' }),
        ),
        format: Type.Optional(StringEnum(reportFormats, { description: 'Default json. csv: the rows alone.' })),
      }),
      response: {
        200: {
          description: 'A row for each supplier, source or day, and the whole; in CSV a line for each row.',
          content: { 'application/json': { schema: StudyReport }, 'text/csv': { schema: Type.String() } },
        },
        ...errorReplies([400, 401, 403, 404, 429]),
      },
    }),
    async (request, reply) => {
      const { by = 'supplier', format = 'json' } = request.query;
      const report = await studies.report(ownerOf(request), request.params.studyId, by);
      return format === 'json'
        ? reply.type('application/json; charset=utf-8').send(report)
        : reply.type('text/csv; charset=utf-8').send(reportAsCsv(report));
    },
  );
}

/** Whether tokens are asked for. They complete and end interviews, so a member reads none. */
function takesTokens({ caller }: FastifyRequest, token: 'on' | 'off' = 'off'): boolean {
  if (token === 'on') requireRole(caller, 'admin', '`token=on`');
  return token === 'on';
}

function registerPeople(app: FastifyInstance, { database }: StudyRouteDeps): void {
  app.get(
    `${item}/respondents`,
    route(reading, {
      operationId: 'listRespondents',
      summary: 'List the respondents of a study, newest first',
      params: StudyParams,
      querystring: ListQuery({
        ...pageFields,
        status: Type.Optional(
          StringEnum(shownStatuses, {
            description:
              'Default verified: those, and all who completed. reversed: completes that were rejected later. ended_by_survey: interviews that the survey ended; terminated has both.',
          }),
        ),
        rid: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: callerIdLengthMax,
            description: 'Only this respondent, by the exact id.',
          }),
        ),
        sessionId: Type.Optional(
          Type.String({ minLength: 1, maxLength: 128, description: 'Only the respondent of this session.' }),
        ),
        token: Token,
      }),
      response: { 200: RespondentPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = ownerOf(request);
      const { status = 'verified', token, rid, sessionId, ...page } = request.query;
      const shown = { status, token: takesTokens(request, token), rid, sessionId };
      return inOrganization(database, owner.organizationId, async (tx) => {
        const study = await requireStudy(tx, request.params.studyId, owner);
        const { respondents, nextCursor } = await listRespondents(tx, study, readPage(page), shown);
        return { respondents, nextCursor };
      });
    },
  );
}

function registerExport(app: FastifyInstance, { database }: StudyRouteDeps): void {
  app.get(
    `${item}/export`,
    route(
      reading,
      {
        operationId: 'exportRespondents',
        summary: 'Export respondents as CSV or NDJSON',
        description: 'Streamed. In CSV a cell that a spreadsheet would run begins with an apostrophe.',
        params: StudyParams,
        querystring: ListQuery({
          format: Type.Optional(StringEnum(exportFormats, { description: 'Default csv.' })),
          status: Type.Optional(
            StringEnum(shownStatuses, {
              description:
                'Default completed_or_reversed: completes, also rejected ones. reversed, ended_by_survey: as in the list.',
            }),
          ),
          token: Token,
        }),
        response: {
          200: {
            description: 'A line for each respondent; CSV begins with the names of the columns.',
            content: {
              'text/csv': { schema: Type.String() },
              'application/x-ndjson': { schema: Type.String() },
            },
          },
          ...errorReplies([400, 401, 403, 404, 429]),
        },
      },
      'export',
    ),
    async (request, reply) => {
      const owner = ownerOf(request);
      const { format = 'csv', status = 'completed_or_reversed', token } = request.query;
      const shown = { status, token: takesTokens(request, token) };
      const study = await inOrganization(database, owner.organizationId, (tx) =>
        requireStudy(tx, request.params.studyId, owner),
      );
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
        .header('content-disposition', `attachment; filename="${study.studyId}.${format}"`)
        .send(Readable.from(exportRespondents(database, study, format, shown)) as never);
    },
  );
}
