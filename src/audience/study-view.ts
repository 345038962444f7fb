/** A study, and counts of places, as they are shown. Pure. */
import type { StudyReply } from '../contract/study-replies.js';
import type { StudyFunnel } from '../contract/study-report.js';
import { entryUrlOf } from './entry-links.js';
import { placesLeft } from './limits.js';
import type { StudyWithQuotas } from './study-store.js';
import type { PlaceCounts } from './transitions.js';

export function showStudy(study: StudyWithQuotas, audienceUrl: string): StudyReply {
  const funnel = showFunnel(study);
  return {
    studyId: study.studyId,
    projectId: study.projectId,
    status: study.status,
    name: study.name,
    survey_url: study.surveyUrl,
    audience: {
      countries: [...study.countries],
      language: study.language,
      sample_size: study.sampleSize,
      quotas: study.quotas.map(({ held: _held, verified: _verified, completed: _completed, ...quota }) => quota),
      suppliers: [...study.suppliers],
      entry: study.entry,
      limits: study.limits,
    },
    survey: { returns: study.returns, minimumSeconds: study.minimumSeconds },
    verification: { service_check: study.serviceCheck, minimum_quality: study.minimumQuality },
    entryUrl: entryUrlOf(audienceUrl, study.studyId),
    createdAt: study.createdAt.toISOString(),
    progress: {
      entered: study.entered,
      screened_out: Object.values(funnel.screened_out).reduce((sum, count) => sum + count, 0),
      verified: study.verified,
      completed: study.completed,
      unconfirmed: study.unconfirmed + study.too_fast,
      reversed: study.reversed,
      sample_size: study.sampleSize,
      places_left: placesLeft(study),
      funnel,
      quotas: study.quotas.map(({ name, limit, held, verified, completed }) => ({
        name,
        limit,
        held,
        verified,
        completed,
      })),
    },
  };
}

export function showFunnel(counts: PlaceCounts & { readonly entered: number }): StudyFunnel {
  const { screened_full: full, screened_duplicate: duplicate, screened_quality: quality } = counts;
  const screenedOut = { full, duplicate, quality, targeting: counts.screened_targeting, limit: counts.screened_limit };
  const { verifying, surveying, released, terminated, unconfirmed, too_fast, completed, reversed } = counts;
  const decided = [verifying, surveying, released, terminated, unconfirmed, too_fast, completed, reversed];
  return {
    entered: counts.entered,
    undecided: [...Object.values(screenedOut), ...decided].reduce((left, count) => left - count, counts.entered),
    screened_out: screenedOut,
    ...{ verifying, in_survey: surveying, released, terminated, unconfirmed, too_fast, completed, reversed },
    verified: counts.verified,
  };
}
