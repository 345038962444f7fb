/** Ways into a study and out of it over a handle of the database, without HTTP. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import type { AnswerExit } from '../../src/audience/exits.js';
import { pageOf } from '../../src/audience/fielding.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import { judgeLink, type GivenLink } from '../../src/audience/entry-links.js';
import { createEntryService, type EntryDeps, type Visit } from '../../src/audience/entry-service.js';
import { createReservationTokens } from '../../src/audience/reservation-tokens.js';
import { createOutcomeReporter } from '../../src/audience/outcome-reporter.js';
import { createReturnService } from '../../src/audience/return-service.js';
import { insertStudy, setStatus, type Study } from '../../src/audience/study-store.js';
import { makeId } from '../../src/crypto/ids.js';
import { tokenTypes } from '../../src/contract/token-kinds.js';
import type { Database } from '../../src/stores/database/port.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { openTokenKeys } from '../../src/verification/tokens/token-keys.js';
import type { ReturnStatus } from '../../src/contract/study-returns.js';
import { placeOf } from './fielding.js';
import { makeProject } from './deliveries.js';

const logger = createLogger('silent');
const audienceUrl = 'https://audience.example/v1';
const secrets = createSecretStore(new Uint8Array(32));
const surveyKeys = new Map<string, string>();

/** The reply of the gate. */
export const allowed = JSON.stringify({
  score: 3,
  recommendation: 'allow',
  duplicate: { band: 'none' },
  receiptId: 'rcpt_1',
  evidence: { against: [] },
  reasons: [],
  degradedSignals: [],
});
/** The location of an address of which nothing is known. */
export const unknown = { country: null, networkClass: null, place: null, prefix: null };

/** An instance: the ways in and out over its own handle of the database. The gate allows everybody. */
export async function instanceOf(
  t: Test,
  database: Database,
  masterKey: Uint8Array,
  over: Partial<Pick<EntryDeps, 'now' | 'locate' | 'verification' | 'score' | 'judgeLink'>> = {},
) {
  const keys = await openTokenKeys({ database, masterKeys: masterKey, logger, now: Date.now, rotationDays: 30 });
  t.teardown(() => keys.close());
  const told: string[] = [];
  let isAway = false;
  const tokens = createReservationTokens({
    sign: (claims) => keys.sign(claims, tokenTypes.study_place),
    publicKey: keys.publicKey,
    issuer: () => 'https://api.example/api/v1',
    now: over.now ?? Date.now,
  });
  const reportOutcomes = createOutcomeReporter({
    database,
    logger,
    settlePlaces: () => Promise.resolve(),
    acceptOutcomes: (_caller, events) => {
      if (isAway) return Promise.reject(new Error('away'));
      told.push(...events.map(({ sessionId, type, occurredAt }) => `${sessionId} ${type} ${occurredAt}`));
      return Promise.resolve();
    },
  });
  const exit: AnswerExit = (study, _leaving, _status, page) => Promise.resolve(pageOf(study, page));
  const score = (): Promise<string> => Promise.resolve(allowed);
  const entries = createEntryService({
    ...{ database, tokens, score },
    sessionRef: (_study, sessionId) => sessionId,
    noteRefusedLink: () => undefined,
    audienceUrl: () => audienceUrl,
    now: Date.now,
    locate: () => unknown,
    visits: { takeAddress: () => Promise.resolve(), takeRespondent: () => Promise.resolve() },
    exit,
    hash: (_project, kind, value) =>
      kind === 'place' || kind === 'verification'
        ? createHash('sha256').update(`${kind} ${value}`).digest('hex')
        : value,
    judgeLink: (study, link) => Promise.resolve(judgeLink(link, { study, supplier: null, nowMs: Date.now() })),
    verification: {
      makeLink: () => Promise.reject(new Error('not asked')),
      linkUrl: (id) => id,
      read: () => Promise.resolve(null),
    },
    reservationMs: 3_600_000,
    ...over,
  });
  const returns = createReturnService({
    ...{ database, tokens, reportOutcomes, exit, now: over.now ?? Date.now },
    secrets,
  });
  return {
    entries,
    told,
    /** By the survey’s server. */
    report: (study: Study, token: string, status: ReturnStatus) =>
      returns.report({ surveyKey: surveyKeys.get(study.studyId) ?? '' }, study.studyId, {
        place: placeOf(token),
        status,
      }),
    reportOutcomes,
    setAway: (away: boolean) => void (isAway = away),
    returns,
    verified: (reservationId: string, device: string, sig?: string) =>
      entries.verified({ reservationId, device, sig, address: null }),
    enter: (study: Study, rid: string, gender: string | null = null, country: string | null = null) =>
      entries.enter(visitOf(study, rid, { link: { country: country ?? undefined, gender: gender ?? undefined } })),
  };
}

/** A visit by an open link. Each respondent has a browser of their own unless `over` says otherwise. */
export const visitOf = (
  { studyId }: Pick<Study, 'studyId'>,
  rid: string,
  { link = {}, ...over }: Partial<Omit<Visit, 'link'>> & { readonly link?: Partial<GivenLink> } = {},
): Visit => ({
  link: { studyId, rid, src: 's', exp: undefined, sig: undefined, ...link },
  address: null,
  userAgent: undefined,
  device: rid,
  check: 'checked',
  ...over,
});

/** A study that is being fielded, of a project of its own. */
export async function makeStudy(
  database: Database,
  sampleSize: number,
  quotas: readonly { name: string; gender: string; limit: number }[] = [],
  serviceCheck = false,
) {
  const { organizationId, projectId } = await makeProject(database);
  const studyId = makeId('study');
  const { secret, sealed } = secrets.make(studyId);
  surveyKeys.set(studyId, secret);
  const study = await database.transaction((tx) =>
    insertStudy(
      tx,
      { organizationId, projectId, lineage: 'key_1', isTest: false },
      {
        name: 'n',
        surveyUrl: 'https://survey.example/',
        countries: ['DE'],
        language: 'en',
        sampleSize,
        serviceCheck,
        minimumQuality: 'standard',
        ...{ suppliers: [], entry: 'open', returns: 'browser', minimumSeconds: 0 },
        limits: {},
      },
      quotas,
      { studyId, sealed },
    ),
  );
  await setStatus(database, study.studyId, 'fielding');
  return study;
}

/** The token of a place, of the address that a respondent goes on to. */
export const tokenOf = (answer: { kind: string; url?: string }): string =>
  new URL(answer.url ?? '').searchParams.get('vh_token') ?? '';
