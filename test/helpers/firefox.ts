/** Firefox by itself, with a fresh profile and nothing attached; without a display, headless. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Started } from './browser.js';

const firefoxPath = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr';

export const hasFirefox = (): boolean => existsSync(firefoxPath);

export interface FirefoxOptions {
  readonly display?: string;
  /** Those of `about:config`, by their names. */
  readonly preferences?: Readonly<Record<string, boolean | number | string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Without the pages and questions of a first start. */
const quiet = {
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
  'network.captive-portal-service.enabled': false,
  'termsofuse.bypassNotification': true,
};

export function launchFirefox(
  url: string,
  { display, preferences = {}, environment = {} }: FirefoxOptions = {},
): Started {
  const profile = mkdtempSync(join(tmpdir(), 'vh-firefox-'));
  const lines = Object.entries({ ...quiet, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const window = display === undefined ? ['--headless'] : ['--width', '1200', '--height', '860'];
  const child = spawn(firefoxPath, ['--no-remote', '--profile', profile, ...window, url], {
    env: { ...process.env, HOME: profile, ...environment, ...(display !== undefined && { DISPLAY: display }) },
    stdio: 'ignore',
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    profile,
    async close() {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(force);
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
