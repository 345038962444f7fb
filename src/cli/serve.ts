/** Starts the service, prints where it listens and, on the first start, the demo keys: to a terminal alone. The log goes to standard error. */
import { resolve } from 'node:path';
import { readSettings, SettingError } from '../config/read.js';
import type { Settings } from '../config/settings.js';
import { isUnavailable } from '../errors.js';
import { startService, type Service } from '../main.js';
import { packageCommit, packageVersion } from '../package-root.js';
import type { Bootstrap } from '../projects/operator/bootstrap.js';
import { causeOf } from '../stores/store-report.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { exportLines } from './shell-names.js';
import { startProblem } from './start-problem.js';

/** Runs until `stop` is aborted, and then ends the process. */
export async function serve(stop: AbortSignal): Promise<void> {
  const notes: string[] = [];
  const settings = orExit(() => readSettings(process.env, (note) => notes.push(note)));
  const logger = createLogger(settings.VH_LOG_LEVEL, process.stderr);
  logger.info(
    { version: packageVersion, commit: packageCommit, node: process.versions.node, roles: settings.VH_ROLES },
    'starting',
  );
  for (const note of notes) logger.warn(note);
  stop.addEventListener('abort', () => logger.info({ reason: (stop.reason as Error).message }, 'stopping'), {
    once: true,
  });
  // Client libraries let go of promises when a store vanishes. Promises that a caller awaits are handled there; the rest must not end the service.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled promise rejection'));
  logWarnings(logger);
  const exit = (code: number): never => {
    logger.info({ code }, 'ended');
    process.exit(code);
  };
  try {
    const service = await startService(settings, logger, { stop });
    process.stdout.write(describe(service, settings));
    logger.info({ startMs: Math.round(performance.now()) }, 'started');
    const end = (): void =>
      void service.stop().then(
        () => exit(0),
        (error: unknown) => {
          // Later calls repeat the requests of a store that hangs; that is no failure of this process.
          const isStore = isUnavailable(error);
          if (isStore) logger.warn({ reason: causeOf(error) }, 'store close timed out; acknowledged data is safe');
          else logger.error({ err: error }, 'shutdown failed');
          exit(isStore ? 0 : 1);
        },
      );
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  } catch (error) {
    process.stderr.write(`VerifyHuman did not start: ${startProblem(error, settings)}\n`);
    if (settings.VH_LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(error === stop.reason ? 0 : 1);
  }
}

/** Warnings of Node.js become lines of the log, in place of the text that it would write between them. */
function logWarnings(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn({ warning: name, reason: message }, 'a warning of Node.js'));
}

function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`VerifyHuman did not start: ${error.message}\n`);
    process.exit(1);
  }
}

/** Addresses of what this process serves, and where its keys are. */
function describe({ bootstrap, serves, firstStart }: Service, settings: Settings): string {
  const { siteUrl, baseUrl, audienceUrl, adminUrl, projectKey } = bootstrap;
  const showsKeys = firstStart && process.stdout.isTTY;
  const lines = [
    serves.api && serves.audience ? 'VerifyHuman is up.' : `VerifyHuman is up as ${settings.VH_ROLES.join(', ')}.`,
    ...(serves.api ? [`  API            ${baseUrl}`] : []),
    ...(serves.audience ? [`  Audience API   ${audienceUrl}`] : []),
    ...(serves.api ? [`  Console        ${siteUrl}/console`, `  Documentation  ${siteUrl}/docs/`] : []),
    ...(serves.demo ? [`  Demo page      ${siteUrl}/demo`] : []),
    `  Metrics        ${adminUrl}/metrics`,
  ];
  if (firstStart) lines.push('', 'First start: created a demo organization.');
  if (projectKey !== undefined) {
    const directory = resolve(settings.VH_DATA_DIR);
    const keys = `Its keys are in ${directory}/bootstrap.json. To set them as shell variables:`;
    if (showsKeys) lines.push(...describeKeys(bootstrap as Bootstrap));
    else
      lines.push(
        '',
        firstStart ? keys : `The demo organization: ${keys}`,
        `  eval "$(VH_DATA_DIR='${directory}' npm run --silent keys)"`,
      );
  }
  if (serves.api && projectKey !== undefined)
    lines.push(
      '',
      'Score a session:',
      `  curl -s ${baseUrl}/lite/score -H "X-API-Key: ${showsKeys ? projectKey : '$PROJECT_KEY'}" -H 'Content-Type: application/json' -d '{"sessionId":"session-1","clientIp":"8.8.8.8"}'`,
    );
  if (serves.api && settings.DATABASE_URL === null)
    lines.push(
      '',
      'Print a link that signs in to the console:',
      `  VH_DATA_DIR='${resolve(settings.VH_DATA_DIR)}' npm run --silent console`,
    );
  if (serves.api && settings.GEOIP_ASN_DB === null)
    lines.push(
      '',
      'IP countries and networks are unknown. Set GEOIP_COUNTRY_DB and GEOIP_ASN_DB to measure the network axis.',
      'Where to get them: docs/how-to/add-address-databases.md',
    );
  return `${lines.join('\n')}\n`;
}

function describeKeys(bootstrap: Bootstrap): string[] {
  const { projectKey, organizationKey, probeKey, projectId } = bootstrap;
  return [
    'Its keys, shown once and kept in bootstrap.json in the data directory:',
    `  project           ${projectId}`,
    `  project key       ${projectKey} (secret; for scoring from your backend)`,
    `  organization key  ${organizationKey} (secret; for creating projects)`,
    `  probe key         ${probeKey} (public; data-project-key on the page)`,
    '',
    'To set them as shell variables:',
    ...exportLines(bootstrap).map((line) => `  ${line}`),
  ];
}
