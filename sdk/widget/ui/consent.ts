/** Biometric consent in full, by the project's own terms: what is measured, with whom it is compared, how long it is kept, and whom to ask. */
import type { ConsentTerms } from '../ports.js';
import { html, linkOf, mailOf } from './dom.js';
import type { Screen } from './frame.js';
import { icon, type IconName } from './icons.js';
import { fill } from './locale.js';
import { goesWithout, messageScreen, type Surroundings } from './screens.js';

/** `disclosure` is what was not said before. */
export function consentScreen(
  around: Surroundings,
  disclosure: Node | null,
  onAnswer: (answer: 'granted' | 'declined') => void,
): Screen {
  const { texts, options } = around;
  const { consent: terms } = options;
  if (terms === null) throw new Error('consent was asked for without its terms');
  const [title, body] = texts.consent;
  const points = pointsOf(around, terms).map(([name, ...parts]) =>
    html('li', {}, icon(name), html('span', {}, ...parts)),
  );
  return messageScreen(around, {
    icon: 'camera',
    isLeft: true,
    text: [title, fill(body, { company: terms.controller })],
    more: [html('ul', { class: 'points', role: 'list' }, ...points), disclosure],
    actions: [
      { label: texts.agree, kind: 'main', run: () => onAnswer('granted') },
      {
        label: goesWithout(options) ? texts.decline : texts.refuse,
        kind: 'plain',
        run: () => onAnswer('declined'),
      },
    ],
  });
}

type Point = readonly [icon: IconName, ...parts: (Node | string)[]];

function pointsOf({ texts, brand, options }: Surroundings, terms: ConsentTerms): readonly Point[] {
  const { controller: company, reEligibilityDays, keptDays } = terms;
  const days = new Intl.NumberFormat(options.language.tag, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  const sentences = (...parts: (string | false)[]): string => parts.filter((part) => part !== false).join(' ');
  const { privacyUrl, supportEmail } = brand;
  return [
    ['person', sentences(texts.measured, terms.demographics && texts.demographics)],
    ['device', options.demands.evidenceFrames === 'sampled' ? texts.pictures : texts.consentLocal],
    [
      'again',
      sentences(
        fill(texts[`${terms.comparedWith}Compared`], { company }),
        terms.faceReuse && fill(texts.reuseFound, { company }),
        fill(texts.copiesFound, { company }),
        reEligibilityDays !== null && fill(texts.counted, { days: days.format(reEligibilityDays) }),
        fill(texts.kept, { days: days.format(keptDays) }),
      ),
    ],
    ['camera', texts.consentOff],
    ...(goesWithout(options) ? [['choice', texts.consentFree] as const] : []),
    [
      'shield',
      fill(texts.ask, { company }),
      ...(supportEmail === null ? [] : [' ', mailOf(supportEmail, supportEmail)]),
      ...(privacyUrl === null ? [] : [' ', linkOf(privacyUrl, texts.privacy)]),
    ],
  ];
}
