/**
 * A clock that goes by the frames of a camera, for a service and the pages of its respondents. However slow or busy the machine, every frame
 * is drawn and judged, and none is late.
 */
import type { Page } from 'playwright-core';
import { readRepositoryFile } from './repository.js';

export interface FrameClock {
  /** The service’s clock, ms since 1970. */
  now(): number;
  /** Makes it the clock of a page that has not loaded yet. */
  set(page: Page): Promise<void>;
}

/** The page's own origin answers: policies of pages let them fetch there. */
const path = '/frame-clock';

export function startFrameClock(): FrameClock {
  const code = readRepositoryFile('test/sdk/capture/page/frame-clock.js');
  let behindMs = 0;
  let standsAtMs: number | null = null;
  let lastMs = 0;
  return {
    now: () => (lastMs = Math.max(lastMs, standsAtMs ?? Date.now() - behindMs)),
    async set(page) {
      await page.route(`**${path}?*`, async (route) => {
        const query = new URL(route.request().url()).searchParams;
        const atMs = Number(query.get('at'));
        standsAtMs = query.get('stands') === 'true' ? atMs : null;
        behindMs = Date.now() - atMs;
        await route.fulfill({ status: 204 });
      });
      await page.addInitScript(
        `${code}\nstartFrameClock(${behindMs}, (at, stands) => fetch('${path}?' + new URLSearchParams({ at, stands })));`,
      );
    },
  };
}
