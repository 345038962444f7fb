/**
 * The comparable parts of a device, in the order in which every sketch holds them. The order and the names are part of what is stored:
 * append, never insert. `same` is how often two visits of one device agree; `usual` how common a value is until the project’s own counts tell.
 * Parts of one kind vary together (one phone model fixes most of its hardware), and count less each.
 */
import type { ProbeBody } from '../../src/contract/probe.js';

export interface Component {
  readonly name: string;
  readonly kind: 'hardware' | 'place';
  readonly same: number;
  readonly usual: number;
  readonly read: (body: ProbeBody) => string | number | boolean | null | undefined;
}

export const components: readonly Component[] = [
  { name: 'platform', kind: 'hardware', same: 0.99, usual: 0.3, read: ({ hw }) => hw?.platform },
  { name: 'systemVersion', kind: 'hardware', same: 0.9, usual: 0.15, read: ({ ua }) => ua?.platformVersion },
  { name: 'model', kind: 'hardware', same: 0.99, usual: 0.05, read: ({ ua }) => (ua?.model === '' ? null : ua?.model) },
  {
    name: 'architecture',
    kind: 'hardware',
    same: 0.99,
    usual: 0.5,
    read: ({ ua }) => (ua?.arch === '' ? null : ua?.arch),
  },
  { name: 'cores', kind: 'hardware', same: 0.99, usual: 0.25, read: ({ hw }) => hw?.cores },
  { name: 'memory', kind: 'hardware', same: 0.98, usual: 0.4, read: ({ hw }) => hw?.memory },
  { name: 'touch', kind: 'hardware', same: 0.99, usual: 0.4, read: ({ hw }) => hw?.touch },
  { name: 'screen', kind: 'hardware', same: 0.9, usual: 0.08, read: ({ scr }) => readScreen(scr) },
  { name: 'depth', kind: 'hardware', same: 0.98, usual: 0.8, read: ({ scr }) => scr?.depth },
  { name: 'pixelRatio', kind: 'hardware', same: 0.85, usual: 0.3, read: ({ scr }) => scr?.dpr },
  { name: 'renderer', kind: 'hardware', same: 0.97, usual: 0.05, read: ({ gfx }) => gfx?.renderer },
  {
    name: 'canvas',
    kind: 'hardware',
    same: 0.9,
    usual: 0.02,
    read: ({ gfx }) => (gfx?.stable === false ? null : gfx?.canvas),
  },
  { name: 'audio', kind: 'hardware', same: 0.95, usual: 0.1, read: ({ gfx }) => gfx?.audio },
  { name: 'fonts', kind: 'hardware', same: 0.93, usual: 0.03, read: ({ env }) => env?.fonts },
  { name: 'zone', kind: 'place', same: 0.95, usual: 0.15, read: ({ loc }) => loc?.zone },
  { name: 'languages', kind: 'place', same: 0.95, usual: 0.15, read: ({ loc }) => loc?.languages?.join(',') },
];

/** Independent of how the device is held. */
function readScreen(scr: ProbeBody['scr']): string | null {
  if (scr?.w == null || scr.h == null) return null;
  return `${Math.max(scr.w, scr.h)}x${Math.min(scr.w, scr.h)}`;
}
