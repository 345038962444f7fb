/** The page where a supplier tries an entry link. It takes no credential and counts like a visit of the address. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { registerStorableText } from '../http/json-body.js';
import { answerError, type FieldingRouteDeps, type TakeVisit } from './fielding-routes.js';
import type { LinkTrial, LinkTrials } from './link-trial.js';
import { headersOf } from './pages.js';
import { renderTryPage, triedFields, type TriedQuery } from './try-page.js';

export interface TryRouteDeps extends Pick<FieldingRouteDeps, 'audienceUrl' | 'sendPage'> {
  readonly takeVisit: TakeVisit;
  readonly trials: LinkTrials;
}

const Value = Type.Optional(Type.String({ maxLength: 4_096 }));
const fields = {
  ...{ link: Value, study: Value, src: Value, rid: Value, exp: Value, sig: Value },
  ...{ country: Value, age: Value, gender: Value, profession: Value },
} satisfies Record<keyof TriedQuery, typeof Value>;

export function registerTryPage(app: FastifyInstance, deps: TryRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    scope.setErrorHandler((error: unknown, request, reply) => answerError(deps, error, request, reply));
    registerPage(scope, deps);
  });
}

function registerPage(scope: FastifyInstance, deps: TryRouteDeps): void {
  scope.get(
    '/try',
    {
      config: { access: { credential: 'none' } },
      exposeHeadRoute: false,
      schema: { hide: true, querystring: Type.Object(fields) },
    },
    async (request, reply) => {
      await deps.takeVisit(request.clientAddress);
      const trial = await tryQuery(deps, request.query);
      return reply
        .headers(headersOf(null, false, { hasForm: true }))
        .send(renderTryPage(deps.audienceUrl(), request.query, trial));
    },
  );
}

/** The link comes first; without one, the values are tried. null: there is neither. */
async function tryQuery({ trials }: TryRouteDeps, query: TriedQuery): Promise<LinkTrial | null> {
  const { link = '', study = '', rid = '', src = '', ...rest } = query;
  if (link !== '') return trials.tryUrl(link);
  if (triedFields.every((name) => (query[name] ?? '') === '')) return null;
  const { exp, sig, ...traits } = rest;
  return trials.tryValues({ studyId: study, rid, src, exp, sig, ...traits });
}
