/** Links into studies: invitations that are signed here on a supplier's behalf, the check of a link, and the decision at the door of a study. */
import {
  invitationDays,
  type Invitations,
  type InvitationsReply,
  type Invited,
  type LinkCheckReply,
} from '../contract/supplier.js';
import type { SecretStore } from '../administration/secret-store.js';
import { Fault } from '../errors.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import {
  entryUrlOf,
  judgeLink,
  newcomerProblems,
  signedTextOf,
  signLink,
  type GivenLink,
  type LinkVerdict,
  type Problem,
} from './entry-links.js';
import {
  broughtByOther,
  findStudyProblems,
  finished,
  notAnEntryLink,
  readLink,
  repeatedIn,
  tooLongIn,
  unreadableIn,
} from './link-problems.js';
import { isOfOtherSender, isVacant, progressOf, respondentRefOf, type HashIdentifier } from './own-places.js';
import { findRespondentReservation, type QuotaReservation } from './reservation-store.js';
import type { StudyCaller } from './study-creation.js';
import { findStudy, requireStudy, type Study } from './study-store.js';
import { findSupplierOfSource, requireSupplier } from './supplier-store.js';

export interface LinkServiceDeps {
  readonly database: Database;
  readonly secrets: SecretStore;
  readonly audienceUrl: () => string;
  readonly hash: HashIdentifier;
  readonly now: () => number;
}

export type LinkService = ReturnType<typeof createLinkService>;

export function createLinkService(deps: LinkServiceDeps) {
  const { database, secrets, now } = deps;
  const judge = async (tx: Queryable, study: Study, link: GivenLink): Promise<LinkVerdict> => {
    const supplier = await findSupplierOfSource(tx, study, link.src);
    const known =
      supplier === null
        ? null
        : { supplierId: supplier.supplierId, secrets: secrets.open(supplier.supplierId, supplier) };
    return judgeLink(link, { study, supplier: known, nowMs: now() });
  };

  return {
    judge: (study: Study, link: GivenLink): Promise<LinkVerdict> =>
      inOrganization(database, study.organizationId, (tx) => judge(tx, study, link)),

    /** Throws CONFLICT for a study that has ended, and for a supplier that it does not take. */
    invite: (caller: StudyCaller, studyId: string, asked: Invitations): Promise<InvitationsReply> =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const study = await requireStudy(tx, studyId, caller);
        const supplier = await requireSupplier(tx, caller, asked.supplierId);
        if (study.status === 'completed' || study.status === 'cancelled')
          throw new Fault(
            'CONFLICT',
            `The study is ${study.status} and takes no more participants. Create a new study.`,
          );
        if (study.suppliers.length > 0 && !study.suppliers.includes(supplier.supplierId))
          throw new Fault('CONFLICT', 'The study does not list this supplier. Add it to `suppliers` of the study.');
        const expSeconds = Math.floor(now() / 1_000) + (asked.expiresInDays ?? invitationDays.default) * 86_400;
        const { current } = secrets.open(supplier.supplierId, supplier);
        const entryUrl = entryUrlOf(deps.audienceUrl(), studyId);
        const link = { studyId, src: supplier.sourceId, exp: String(expSeconds) };
        return {
          expiresAt: new Date(expSeconds * 1_000).toISOString(),
          invitations: asked.respondents.map((invited) => ({
            rid: invited.rid,
            url: signLink(entryUrl, { ...link, ...valuesOf(invited) }, current),
          })),
        };
      }),

    /** Says of a link all that is wrong with it. Never throws for what the link says. */
    async check(caller: StudyCaller, url: string): Promise<LinkCheckReply> {
      const link = readLink(url, deps.audienceUrl());
      if (link === null) return unjudged(notAnEntryLink(deps.audienceUrl()));
      return inOrganization(database, caller.organizationId, async (tx) => {
        const study = await findStudy(tx, link.studyId, { owner: { ...caller, projectId: null } });
        if (study === null)
          return unjudged({
            code: 'study_unknown',
            message: 'The study was not found in this organization. Check its id in the URL.',
          });
        const verdict = await judge(tx, study, link);
        const respondentRef = respondentRefOf(deps.hash, study, link.rid, verdict);
        const place = await findRespondentReservation(tx, study.studyId, respondentRef);
        const problems = [...repeatedIn(url), ...problemsOf(study, link, verdict, place)];
        return {
          ok: problems.every(({ code }) => code === 'value_unreadable'),
          entry: verdict.entry,
          expiresAt: verdict.expiresAt?.toISOString() ?? null,
          signedWith: verdict.signedWith,
          signedText: signedTextOf(link),
          problems,
        };
      });
    },
  };
}

/** Everything that is wrong with the values of a link, for the respondent who has this place. */
function problemsOf(
  study: Study,
  link: GivenLink,
  verdict: LinkVerdict,
  place: QuotaReservation | null,
): readonly Problem[] {
  const reached = progressOf(study, place);
  const isNew = reached === 'new';
  const isOther = place !== null && !isVacant(place) && isOfOtherSender(place, { ...verdict, sourceId: link.src });
  return [
    ...tooLongIn(link),
    ...verdict.problems.filter(({ code }) => isNew || !newcomerProblems.includes(code)),
    ...unreadableIn(link),
    ...(isNew ? findStudyProblems(study, link) : []),
    ...(isOther ? [broughtByOther] : []),
    ...(reached === 'ended' && !isOther ? [finished] : []),
  ];
}

const valuesOf = ({ age, ...values }: Invited) => ({ ...values, ...(age === undefined ? {} : { age: String(age) }) });

const unjudged = (problem: Problem): LinkCheckReply => ({
  ...{ ok: false, entry: 'open', expiresAt: null, signedWith: null, signedText: null },
  problems: [problem],
});
