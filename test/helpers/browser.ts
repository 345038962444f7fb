/**
 * Real Chromium for tests: driven through the debugging protocol, or started plainly on a display of
 * its own, where the mouse and the keyboard are moved through the X server as hardware would. Each
 * has a fresh profile; everything is ended by the process that was started, and by no name.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** The same engine without a window system, which takes two thirds of the processor. */
const shellPath = '/usr/bin/chromium-headless-shell';

const baseArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether a real browser, and a display with input of its own, can be had on this machine. */
export const hasChromium = (): boolean => existsSync(chromiumPath);
export const hasDisplayTools = (): boolean => ['Xvfb', 'xdotool'].every((tool) => existsSync(join('/usr/bin', tool)));

/** Takes the process along when the tests' own process ends early, as it does at a timeout. */
function tieToTests(child: ChildProcess): ChildProcess {
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

/** Ends a process and waits until it has gone. */
async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(force);
}

/** A browser for tests that do not ask whether it is a person's, and need neither its window nor a camera of its own. */
export const launchForPages = (): Promise<Driven> =>
  launchDriven(
    existsSync(shellPath) && process.env['CHROMIUM_PATH'] === undefined ? { executablePath: shellPath } : {},
  );

export interface Driven {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Chromium under playwright. Headful needs a display. `ignoreDefaultArgs` takes off flags that playwright adds. */
export async function launchDriven(
  options: {
    headless?: boolean;
    display?: string;
    args?: string[];
    ignoreDefaultArgs?: string[];
    userAgent?: string;
    executablePath?: string;
  } = {},
): Promise<Driven> {
  const profile = await mkdtemp(join(tmpdir(), 'vh-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: options.executablePath ?? chromiumPath,
    headless: options.headless ?? true,
    args: [...baseArguments, ...(options.args ?? [])],
    ignoreDefaultArgs: options.ignoreDefaultArgs ?? [],
    viewport: null,
    ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
    env: { ...process.env, ...(options.display === undefined ? {} : { DISPLAY: options.display }) },
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A context of its own in a browser that runs: cookies, storage and permissions are nobody else's. */
export async function openContext({ context }: Driven): Promise<BrowserContext> {
  const browser = context.browser();
  if (browser === null) throw new Error('the browser has ended');
  return browser.newContext({ viewport: null });
}

export interface Started {
  /** The profile's folder, where the browser also writes its debugging port when it has one. */
  readonly profile: string;
  close(): Promise<void>;
}

/** Chromium by itself, with nothing attached: `--headless`, or on a display. */
export async function launchPlain(
  url: string,
  options: {
    display?: string;
    args?: string[];
    environment?: Readonly<Record<string, string>>;
    /** Choices of the profile, as the browser keeps them. */
    preferences?: object;
  } = {},
): Promise<Started> {
  const profile = await mkdtemp(join(tmpdir(), 'vh-browser-'));
  if (options.preferences !== undefined) {
    await mkdir(join(profile, 'Default'));
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(options.preferences));
  }
  const mode =
    options.display === undefined
      ? ['--headless']
      : ['--window-position=0,0', '--window-size=1200,800', '--password-store=basic'];
  const child = tieToTests(
    spawn(
      chromiumPath,
      [
        ...baseArguments,
        '--no-default-browser-check',
        `--user-data-dir=${profile}`,
        ...mode,
        ...(options.args ?? []),
        url,
      ],
      {
        env: {
          ...process.env,
          ...options.environment,
          ...(options.display === undefined ? {} : { DISPLAY: options.display }),
        },
        stdio: 'ignore',
      },
    ),
  );
  return {
    profile,
    async close() {
      await endProcess(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export interface Display {
  readonly name: string;
  close(): Promise<void>;
}

/** A virtual display; the X server picks a free number and tells it. */
export async function startDisplay(size = '1280x900x24'): Promise<Display> {
  const child = tieToTests(
    spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    }),
  );
  const number = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.trim());
    });
    child.once('exit', () => reject(new Error('the X server ended before it was ready')));
  });
  return { name: `:${number}`, close: () => endProcess(child) };
}
