/**
 * A whole service for a test: embedded stores in a throw-away directory, free ports on the loopback address, stopped when
 * the test ends.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type t from 'tap';
import { readSettings } from '../../src/config/read.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { startService, type Service, type ServiceOptions } from '../../src/main.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { temporaryDirectory } from './directories.js';
import { copyCluster } from './embedded.js';

type Test = Pick<typeof t, 'teardown'>;

export interface TestService {
  readonly bootstrap: Bootstrap;
  readonly dataDirectory: string;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** Stops the service; the directory stays until the test ends. */
  stop(): Promise<void>;
  /** Calls the API as JSON with the demo project’s key, or with the headers given. */
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<{ readonly status: number; readonly body: never; readonly headers: Headers }>;
}

/** Starts a service. `environment` adds to or replaces the test’s settings; a data directory given is used and kept. */
export async function startTestService(
  test: Test,
  environment: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  const dataDirectory = environment['VH_DATA_DIR'] ?? temporaryDirectory(test);
  // Production makes no key by itself.
  if (environment['VH_ENV'] === 'production') loadMasterKey(dataDirectory);
  const database = join(dataDirectory, 'database');
  if (environment['DATABASE_URL'] === undefined && !existsSync(database)) await copyCluster(database);
  const log: string[] = [];
  const settings = readSettings({
    PORT: '0',
    AUDIENCE_PORT: '0',
    ADMIN_PORT: '0',
    VH_DATA_DIR: dataDirectory,
    VH_LOG_LEVEL: 'info',
    ...environment,
  });
  const service: Service = await startService(
    settings,
    createLogger('info', { write: (line) => log.push(line) }),
    options,
  );
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= service.stop());
  test.teardown(stop);
  const bootstrap = service.bootstrap as Bootstrap;
  return {
    bootstrap,
    dataDirectory,
    log,
    stop,
    call: createCall(bootstrap.baseUrl, bootstrap.projectKey),
  };
}

/** Calls an API as JSON with this key, or with the headers given. */
export const createCall =
  (baseUrl: string, key: string): TestService['call'] =>
  async (method, path, { body, headers = { 'x-api-key': key } } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as never,
    };
  };
