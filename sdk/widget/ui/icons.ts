/** Small pictures, drawn with lines on a field of 24 by 24 in the colour of their text; they say nothing that no text says. */
import { svg } from './dom.js';

const paths = {
  shield: 'M12 3l7 2.6v5.6c0 4.4-2.9 7.9-7 9.8-4.1-1.9-7-5.4-7-9.8V5.6zM8.8 11.9l2.3 2.3 4.2-4.5',
  check: 'M5 12.8l4.6 4.6L19.4 7',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  camera: 'M4 7.5h3l1.6-2.5h6.8L17 7.5h3v11H4zM8.6 12.8a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z',
  off: 'M4 3.5l16 17M9.5 5h6l1.6 2.5H20v9M17 18.5H4v-11h3',
  device: 'M7 3h10v18H7zM11 18h2',
  choice: 'M12 20v-7M12 13C12 9 6 10 6 5M12 13c0-4 6-3 6-8M3.5 7.5L6 5l2.5 2.5M15.5 7.5L18 5l2.5 2.5',
  again: 'M19 12a7 7 0 1 1-2.2-5.1M19 3.5v4h-4',
  cloud: 'M7 18.5a4 4 0 0 1-.6-7.95A5.5 5.5 0 0 1 17 9.6a4.5 4.5 0 0 1 .5 8.9zM12 11.5v3M12 16.4v.1',
  clock: 'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM12 7.5V12l3 2',
  person: 'M8.5 8a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0zM5 20c.5-4 3.3-6 7-6s6.5 2 7 6',
  gear: 'M4 7h8.5M17 7h3M4 17h3M11.5 17H20M12.5 7a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0zM7 17a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z',
} as const;

export type IconName = keyof typeof paths;

export const icon = (name: IconName): SVGSVGElement =>
  svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': true }, svg('path', { d: paths[name] }));
