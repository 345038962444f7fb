/** A study, and counts of places, as they are shown. Pure. */
import type { StudyReply } from '../contract/study-replies.js';
import type { ScreenOuts, StudyFunnel } from '../contract/study-report.js';
import { entryUrlOf } from './entry-links.js';
import { placesLeft } from './limits.js';
import type { StudyWithQuotas } from './study-store.js';
import { screenedFors, type PlaceCounts } from './transitions.js';

export function showStudy(study: StudyWithQuotas, audienceUrl: string): StudyReply {
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
      screened_out: screenedFors.reduce((sum, reason) => sum + study[`screened_${reason}`], 0),
      screenOutReason: showScreenOuts(study),
      verified: study.verified,
      completed: study.completed,
      unconfirmed: study.unconfirmed + study.too_fast,
      reversed: study.reversed,
      sample_size: study.sampleSize,
      places_left: placesLeft(study),
      funnel: showFunnel(study),
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

/** Places by why they were screened out. */
export function showScreenOuts(counts: PlaceCounts): ScreenOuts {
  const { screened_gate: gate, screened_verification: verification, screened_country: targeting } = counts;
  const { screened_full: full, screened_duplicate: duplicate, screened_limit: limit } = counts;
  return { full, duplicate, quality: gate + verification, targeting, limit, gate, verification };
}

/** Places by where they are. */
export function showFunnel(counts: PlaceCounts & { readonly entered: number }): StudyFunnel {
  const { verifying, surveying, released, terminated, unconfirmed, too_fast, completed, reversed } = counts;
  const decided = [verifying, surveying, released, terminated, unconfirmed, too_fast, completed, reversed];
  const screened = screenedFors.map((reason) => counts[`screened_${reason}`]);
  return {
    undecided: [...screened, ...decided].reduce((left, count) => left - count, counts.entered),
    ...{ verifying, in_survey: surveying, released, terminated, unconfirmed, too_fast, completed, reversed },
    verified: counts.verified,
  };
}
