/**
 * Three mounts on one page, operated by a hand through the X server in a browser that nothing is attached to: the nearest that a test comes to
 * a respondent at a desk.
 */
import { randomUUID } from 'node:crypto';
import type { VHMountResult } from '../../sdk/widget/api.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { launchPlain, startDisplay } from './browser.js';
import { actLikePerson, sendInput, type Point } from './input.js';
import { startStaticSite } from './static-site.js';
import { pollUntil } from './wait-until.js';

/** Each mount by its element’s id, with its options. */
const mounts = {
  box: { widgetMode: 'captcha' },
  slider: { widgetMode: 'captcha', interaction: 'slider' },
  unseen: { widgetMode: 'invisible' },
} as const;
export type HandMount = keyof typeof mounts;

type Note =
  | { readonly kind: 'places'; readonly top: number; readonly box: Point }
  | {
      readonly kind: 'ended';
      readonly id: HandMount;
      readonly result: VHMountResult | null;
      readonly code: string | null;
    };

/** Runs in the page: mounts all, tells where the controls are once they stand still, and how each mount ended. */
const script = (options: object) => `
  const note = (body) => fetch('/note', { method: 'POST', body: JSON.stringify(body) });
  const options = ${JSON.stringify(options)};
  for (const [id, own] of Object.entries(options))
    VH.mount('#' + id, own).then(
      (result) => note({ kind: 'ended', id, result, code: null }),
      (error) => note({ kind: 'ended', id, result: null, code: error.code ?? error.name }),
    );
  const part = (id, name) => document.querySelector('#' + id + ' > div')?.shadowRoot?.querySelector(name)?.getBoundingClientRect();
  let last = '';
  const looking = setInterval(() => {
    const [box, slider] = [part('box', 'button'), part('slider', 'input')];
    const now = JSON.stringify([box, slider]);
    if (!box?.width || !slider?.width || now !== last) return void (last = now);
    clearInterval(looking);
    note({ kind: 'places', top: outerHeight - innerHeight, box: { x: box.x + 60, y: box.y + box.height / 2 } });
  }, 100);`;

/** From the box the Tab key leads to the slider, and End moves it. */
const press = (key: string): readonly string[] => ['sleep', '0.4', 'keydown', key, 'sleep', '0.08', 'keyup', key];

/** How each mount ended. */
export async function verifyByHand({
  siteUrl,
  siteKey,
}: Bootstrap): Promise<ReadonlyMap<HandMount, Note & { kind: 'ended' }>> {
  const options = Object.fromEntries(
    Object.entries(mounts).map(([id, own]) => [id, { ...own, siteKey, locale: 'en', dataCollector: randomUUID() }]),
  );
  const places = Object.keys(mounts).map(
    (id) => `<div id="${id}" style="width:420px;height:150px;margin:20px 250px"></div>`,
  );
  const site = await startStaticSite({
    files: {
      '/': `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title><body style="height:3000px">${places.join('')}<script src="${siteUrl}/sdk/v1/verifyhuman.umd.js"></script><script src="/page.js"></script></body></html>`,
      '/page.js': script(options),
      '/favicon.ico': '',
    },
  });
  const display = await startDisplay();
  const browser = await launchPlain(site.origin, { display: display.name });
  const notes = site.notes as Note[];
  try {
    const found = await pollUntil('the controls', () => notes.find(({ kind }) => kind === 'places'), 60_000);
    if (found.kind !== 'places') throw new Error('no places');
    const at = ({ x, y }: Point): Point => ({ x, y: y + found.top });
    await sendInput(display.name, [
      ...actLikePerson([at({ x: 150, y: 500 }), at(found.box)], '', 7),
      ...press('Tab'),
      ...press('End'),
    ]);
    const count = Object.keys(mounts).length;
    return await pollUntil('the ends of all mounts', () => {
      const ended = notes.filter((note) => note.kind === 'ended');
      return ended.length === count ? new Map(ended.map((note) => [note.id, note])) : undefined;
    });
  } finally {
    await browser.close();
    await display.close();
    await site.close();
  }
}
