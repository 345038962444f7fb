/**
 * The illustrated guide: a face that does what the respondent is asked to do. It acts like a mirror, so its left is the
 * respondent's left, whatever the direction of the script is. Movement is CSS; where less motion is wanted, the pose and the arrow
 * say the same without it.
 */
import type { ChallengeType } from '../../../src/contract/verdict.js';
import type { ViewOptions } from '../ports.js';
import { svg } from './dom.js';

export type AvatarStyle = ViewOptions['avatar'];

/** The pose of the guide; `rest` looks at you, `done` is glad. */
export type Pose = ChallengeType | 'rest' | 'done';

export interface Avatar {
  readonly element: SVGSVGElement;
  pose(pose: Pose): void;
}

const arrows: Partial<Record<Pose, string>> = {
  turn_left: 'M24 60H6M13 52l-8 8 8 8',
  turn_right: 'M96 60h18M107 52l8 8-8 8',
  nod: 'M108 45v30M102 51l6-6 6 6M102 69l6 6 6-6',
};

export function createAvatar(style: AvatarStyle): Avatar {
  const arrow = svg('path', { class: 'arrow' });
  const element = svg(
    'svg',
    { class: `avatar ${style}`, viewBox: '0 0 120 120', 'aria-hidden': true },
    svg('circle', { class: 'ground', cx: 60, cy: 60, r: 60 }),
    svg('path', { class: 'body', d: 'M22 120c2-20 17-29 38-29s36 9 38 29z' }),
    svg('g', { class: 'head' }, ...drawHead(style)),
    arrow,
  );
  return {
    element,
    pose(pose) {
      element.setAttribute('data-pose', pose);
      arrow.setAttribute('d', arrows[pose] ?? '');
    },
  };
}

function drawHead(style: AvatarStyle): SVGElement[] {
  const isFriendly = style === 'friendly';
  return [
    svg('path', { class: 'ears', d: 'M33 55c-6 0-6 13 1 14M87 55c6 0 6 13-1 14' }),
    svg('path', { class: 'skin', d: 'M60 22c19 0 28 13 28 32 0 22-13 38-28 38S32 76 32 54c0-19 9-32 28-32z' }),
    ...(isFriendly
      ? [
          svg('path', {
            class: 'hair',
            d: 'M30 56c-4-26 9-40 31-40 21 0 33 14 29 40-3-2-3-12-6-17-10 1-28-1-36-9-3 10-13 13-18 26z',
          }),
        ]
      : []),
    svg(
      'g',
      { class: 'face' },
      svg('path', { class: 'brow', d: 'M42 46c3-3 8-3 11 0M67 46c3-3 8-3 11 0' }),
      svg(
        'g',
        { class: 'eyes' },
        svg('ellipse', { cx: 48, cy: 56, rx: 3.6, ry: 4.6 }),
        svg('ellipse', { cx: 72, cy: 56, rx: 3.6, ry: 4.6 }),
      ),
      svg('path', {
        class: 'lids',
        d: 'M42 56c3 4 9 4 12 0M66 56c3 4 9 4 12 0M43 62l-2 3M48 63v4M53 62l2 3M67 62l-2 3M72 63v4M77 62l2 3',
      }),
      svg('path', { class: 'nose', d: 'M60 60l-2.5 7H62' }),
      svg('path', { class: 'mouth', d: 'M51 76c5 4 13 4 18 0' }),
      svg('path', { class: 'grin', d: 'M46 73c8 3 20 3 28 0-2 9-8 12-14 12s-12-3-14-12z' }),
      svg('path', { class: 'cheeks', d: 'M37 68h8M75 68h8' }),
    ),
  ];
}
