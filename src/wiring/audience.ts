/** The role `audience`: a listener of its own with studies and entry links. It shares what the role `api` of the process has opened. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createOriginDecision, createPublicGuard } from '../administration/public-guard.js';

import { allowConsole } from '../audience/console-origin.js';
import { createEntryService, type Surroundings } from '../audience/entry-service.js';
import { registerFieldingRoutes, type FieldingRouteDeps, type TakeVisit } from '../audience/fielding-routes.js';
import { createExits } from '../audience/exits.js';
import { registerLinkRoutes } from '../audience/link-routes.js';
import { registerPostbackRoutes } from '../audience/postback-routes.js';
import { writePostbacks } from '../audience/postbacks.js';
import { createRefusedLinks, startWritingRefusedLinks } from '../audience/refused-links.js';
import { startReservationRounds } from '../audience/reservation-round.js';
import { createReservationTokens, type ReservationTokens } from '../audience/reservation-tokens.js';
import { registerReturnRoutes } from '../audience/return-routes.js';
import { createDisputeService } from '../audience/dispute-service.js';
import { registerDisputeRoutes } from '../audience/dispute-routes.js';
import { createOutcomeReporter, type ReportOutcomes } from '../audience/outcome-reporter.js';
import { createReturnService } from '../audience/return-service.js';
import type { Study } from '../audience/study-store.js';
import { registerStudyRoutes } from '../audience/study-routes.js';
import { registerSupplierRoutes } from '../audience/supplier-routes.js';
import { registerTryPage } from '../audience/try-routes.js';
import type { Ref } from '../contract/facts.js';
import { tokenTypes } from '../contract/token-kinds.js';
import { createMakeRef } from '../crypto/master-key.js';
import { createSecretStore } from '../administration/secret-store.js';
import { createApp, listen } from '../http/app.js';
import { serveDocsSite } from '../http/docs-site.js';
import { registerOpenapi, serveDocument } from '../http/openapi.js';
import type { Address } from '../net/address.js';
import type { Geography } from '../scoring/network/geography.js';
import { holderOf } from '../stores/counters/namespace.js';
import { packageVersion } from '../package-root.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import { appDepsOf, closeWithin, limitsOf, openKnownRecords, type SharedParts } from './api.js';
import type { NamedConsumer } from './consumers.js';
import { apiPrefix, audiencePrefix, audienceUrlOf, elsewhereOf, siteUrlOf, type Parts } from './parts.js';
import { registerEntryPages } from './entry-pages.js';
import { openOAuth } from './oauth.js';
import { postbackDeliveries } from '../webhooks/postbacks.js';
import { openGeographyFiles, openPool, openScoring } from './scoring.js';
import {
  identifierHashOf,
  wireLinks,
  wireLinkTrials,
  wirePostbackLog,
  wireStudies,
  wireSuppliers,
  createHostedVerificationClient,
} from './studies.js';

export interface StartedAudience {
  readonly audienceUrl: string;
  readonly rounds: NamedConsumer;
}

async function serveDocumentation(app: FastifyInstance, siteUrl: () => string): Promise<void> {
  serveDocument(app, audiencePrefix);
  const addresses = () => ({ api: siteUrl() + apiPrefix, studies: audiencePrefix });
  await serveDocsSite(app, { root: audiencePrefix, reference: 'api/studies.html', addresses });
}

/** Starts the listener; resolves once it listens. `shared` is what the role `api` of this process has opened, or null. */
export async function startAudience(
  parts: Parts,
  ids: BootstrapIds | null,
  shared: SharedParts | null,
): Promise<StartedAudience> {
  const { settings, stores, metrics, logger, now, drain, opened, background } = parts;
  const work = shared ?? (await openShared(parts, ids));
  const { directories, limits, scoring, siteUrl } = work;
  const app = createApp({
    ...{ ...appDepsOf(parts, work), docsPath: `${audiencePrefix}/docs` },
    elsewhere: elsewhereOf(settings, 'api', () => siteUrl() + apiPrefix),
  });
  opened.push(() => closeWithin(app, drain.leftMs()), 'the audience listener');
  const audienceUrl = (): string =>
    audienceUrlOf(settings, (app.server.address() as AddressInfo | null)?.port ?? settings.AUDIENCE_PORT);
  const tokens = wireTokens(work, now);
  const reportOutcomes = createOutcomeReporter({
    ...{ database: stores.database, settlePlaces: scoring.settlePlaces, logger },
    acceptOutcomes: (owner, events) => scoring.outcomes.accept(owner, events, { isOwn: true }),
  });
  const links = wireLinks(parts, audienceUrl);
  await registerOpenapi(app, {
    baseUrl: audienceUrlOf(settings, settings.AUDIENCE_PORT),
    siteUrl: siteUrlOf(settings, settings.PORT),
    version: packageVersion,
  });
  const exit = createExits(secretPartsOf(parts));
  const { takeVisit, takeReturn } = wireVisits(limits, tokens);
  const returns = createReturnService({ ...secretPartsOf(parts), ...{ now, tokens, reportOutcomes, exit } });
  const { findRejections } = scoring;
  const disputes = createDisputeService({ database: stores.database, reportOutcomes, findRejections, now });
  const entries = createEntryService({
    ...entryPartsOf(parts),
    ...{ tokens, audienceUrl, exit, judgeLink: links.judge },
    visits: { takeAddress: takeVisit, takeRespondent: limits.takeRespondent },
    score: scoring.scores.score,
    locate: (address) => surroundingsOf(scoring.geography, address),
    verification: createHostedVerificationClient(parts, work),
  });
  await app.register(
    async (scope) => {
      const studies = wireStudies(parts, { directories, audienceUrl });
      void scope.register(async (inner) => {
        allowConsole(inner, siteUrl);
        registerStudyRoutes(inner, { database: stores.database, studies });
        registerPostbackRoutes(inner, wirePostbackLog(parts));
      });
      registerSupplierRoutes(scope, wireSuppliers(parts, directories));
      registerLinkRoutes(scope, links);
      registerDisputeRoutes(scope, disputes);
      registerReturnRoutes(scope, { returns, takeVisit, studies });
      const sendPage = await registerEntryPages(scope, parts, { ...work, audienceUrl });
      registerTryPage(scope, { ...{ sendPage, takeVisit, audienceUrl }, trials: wireLinkTrials(parts, audienceUrl) });
      registerFieldingRoutes(scope, {
        ...{ sendPage, entries, returns },
        ...{ takeReturn, audienceUrl, metrics, now },
      });
    },
    { prefix: audiencePrefix },
  );
  await serveDocumentation(app, siteUrl);
  const rounds = openRounds(parts, reportOutcomes);
  background.push(rounds);
  await listen(app, { host: settings.HOST, port: settings.AUDIENCE_PORT });
  return { audienceUrl: audienceUrl(), rounds: { group: 'quota_reservations', consumer: rounds } };
}

const openRounds = (parts: Parts, reportOutcomes: ReportOutcomes) =>
  startReservationRounds({
    ...{ database: parts.stores.database, reportOutcomes, metrics: parts.metrics, logger: parts.logger },
    writePostbacks: () => writePostbacks({ ...secretPartsOf(parts), now: parts.now, postbacks: postbackDeliveries }),
    retentionDays: parts.settings.VH_SESSION_RETENTION_DAYS,
  });

const wireTokens = ({ tokenKeys, siteUrl }: Pick<SharedParts, 'tokenKeys' | 'siteUrl'>, now: () => number) =>
  createReservationTokens({
    sign: (claims) => tokenKeys.sign(claims, tokenTypes.study_place),
    publicKey: tokenKeys.publicKey,
    issuer: () => siteUrl() + apiPrefix,
    now,
  });

function wireVisits(
  limits: SharedParts['limits'],
  tokens: ReservationTokens,
): Pick<FieldingRouteDeps, 'takeReturn'> & { readonly takeVisit: TakeVisit } {
  const takeVisit: TakeVisit = (address) => limits.takeAddress('visits', address);
  return {
    takeVisit,
    takeReturn(token, address) {
      const claims = tokens.read(token);
      return claims === null ? takeVisit(address) : limits.takeRespondent(claims.project_id, claims.sub);
    },
  };
}

const secretPartsOf = ({ stores, masterKeys }: Parts) => ({
  database: stores.database,
  secrets: createSecretStore(masterKeys.readable),
});

function entryPartsOf(parts: Parts) {
  const { settings, stores, now, masterKeys } = parts;
  const makeRef = createMakeRef(masterKeys.first);
  const refusedLinks = createRefusedLinks(stores.database);
  parts.background.push(startWritingRefusedLinks(refusedLinks, parts.logger));
  return {
    noteRefusedLink: refusedLinks.note,
    sessionRef: (study: Study, sessionId: string): Ref => makeRef(holderOf(study), 'session', sessionId),
    ...{ database: stores.database, now, hash: identifierHashOf(parts) },
    reservationMs: settings.VH_PLACE_MINUTES * 60_000,
  };
}

function surroundingsOf(geography: Geography, address: Address | null): Surroundings {
  // One that nobody has on the internet is of a network’s inside, or of a proxy; limits there would stop everybody. Who hides theirs shares one.
  if (address?.range !== 'public') {
    const place = address?.isDisputed === true ? address.place : null;
    return { country: null, networkClass: null, place, prefix: null };
  }
  const { country, network } = geography.locate(address);
  return { country, networkClass: network, place: address.place, prefix: address.family === 6 ? address.prefix : null };
}

/** The parts of the gate if no API runs in this process. */
async function openShared(parts: Parts, ids: BootstrapIds | null): Promise<SharedParts> {
  const { settings, opened } = parts;
  const directories = await openKnownRecords(parts);
  opened.push(() => directories.close());
  const geography = await openGeographyFiles(parts);
  const limits = limitsOf(parts, { directories, geography });
  const siteUrl = (): string => siteUrlOf(settings, settings.PORT);
  const { tokenKeys, accessTokens } = await openOAuth(parts, {
    ...{ directories, limits, siteUrl },
    apiUrl: () => siteUrl() + apiPrefix,
  });
  const guard = createPublicGuard({
    ...{ directories, limits },
    decide: createOriginDecision(settings.VH_ENV),
    ownOrigin: () => new URL(siteUrl()).origin,
  });
  const pool = await openPool(parts);
  // Pages send their probes to the API; nothing is observed here.
  const scoring = await openScoring(parts, { directories, guard, pool, observe: async () => 0, ids, geography });
  return { directories, limits, scoring, tokenKeys, accessTokens, siteUrl };
}
