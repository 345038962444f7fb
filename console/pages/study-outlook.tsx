/** Whether a study is full, and if it is not, what keeps it from filling; the foremost cause first. */
import { roomOf } from '../../src/contract/study-capacity.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { formatCount, formatShare, plural } from '../parts/words.js';

/** A refusal or loss below this share of entries is not named as a cause. */
const causeShareMin = 0.05;

const refusals = [
  ['duplicate', 'took part before'],
  ['quality', 'were refused by the entry check or the verification'],
  ['targeting', 'are outside of the study’s countries'],
  ['limit', 'came over the limit of their address, browser or supplier'],
  ['full', 'found the study or their quotas full'],
] as const;

/** Ends after the entry check, which fill no place either. */
const losses = [
  ['terminated', 'were ended by the survey'],
  ['released', 'did not come back'],
  ['too_fast', 'completed too fast to count'],
  ['reversed', 'had their complete rejected later'],
] as const;

/** Sentences for the reader: the standing, then its causes. */
function outlookOf({
  status,
  audience,
  progress,
}: Pick<StudyReply, 'status' | 'audience' | 'progress'>): readonly string[] {
  const {
    completed,
    sample_size: wanted,
    places_left: left,
    entered,
    screenOutReason,
    unconfirmed,
    quotas,
    funnel,
  } = progress;
  const missing = wanted - completed;
  if (missing <= 0) return ['The study is full: every place is completed.'];
  const standing = `${formatCount(missing)} of ${plural(wanted, 'complete')} ${missing === 1 ? 'is' : 'are'} missing.`;
  const causes: string[] = [];
  if (status === 'draft') causes.push('It is a draft. Launch it to let respondents in.');
  if (status === 'paused') causes.push('It is paused, so no new respondent gets in. Resume it.');
  if (status === 'completed' || status === 'cancelled') causes.push(`It is ${status} and takes no more respondents.`);
  if (status === 'fielding') {
    if (entered === 0) causes.push('No respondent has entered yet. Check that suppliers have the entry link.');
    if (left === 0)
      causes.push('All places are taken by people who have not finished. Places of people who stay away are released.');
    else causes.push(`${plural(left, 'place is', 'places are')} left.`);
  }
  const isOpen = status === 'draft' || status === 'fielding' || status === 'paused';
  const room = roomOf(audience.countries, audience.quotas, wanted);
  if (isOpen && room < wanted)
    causes.unshift(
      `The quotas leave room for ${formatCount(room)} of ${formatCount(wanted)}. Raise their limits, or lower the sample size.`,
    );
  const full = quotas.filter(({ held, limit }) => held >= limit).map(({ name }) => name);
  if (isOpen && full.length > 0)
    causes.push(`${plural(full.length, 'quota is', 'quotas are')} full: ${full.join(', ')}.`);
  if (unconfirmed > 0)
    causes.push(
      `${plural(unconfirmed, 'complete waits', 'completes wait')} for the survey’s own return to confirm them.`,
    );
  const named = [
    ...refusals.map(([reason, text]) => [screenOutReason[reason], text] as const),
    ...losses.map(([stage, text]) => [funnel[stage], text] as const),
  ]
    .filter(([count]) => count >= Math.max(1, entered * causeShareMin))
    .sort(([a], [b]) => b - a)
    .map(([count, text]) => `${formatShare(count / entered)} of those who entered ${text}.`);
  return [standing, ...causes, ...named];
}

export function StudyOutlook({ study }: { study: StudyReply }) {
  const [standing, ...causes] = outlookOf(study);
  return (
    <section class="card">
      <h2>{study.progress.completed >= study.progress.sample_size ? 'Full' : 'Not full'}</h2>
      <p class="summary">{standing}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
