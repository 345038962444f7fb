/**
 * The structured log. Secrets never reach it: what may hold one is removed by path, and nothing logs
 * request bodies. Logging never throws into the caller.
 */
import { pino, type Logger } from 'pino';

export type { Logger };

/** Paths under which a secret could stand in an object that is logged. */
const secretPaths: readonly string[] = [
  'apiKey',
  'token',
  'secret',
  'clientSecret',
  'password',
  'authorization',
  '*.apiKey',
  '*.token',
  '*.secret',
  '*.clientSecret',
  '*.password',
  '*.authorization',
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers["x-client-secret"]',
  'req.headers.cookie',
  'headers.authorization',
  'headers["x-api-key"]',
  'headers["x-client-secret"]',
  'headers.cookie',
];

/** A logger on standard output, or on `destination` in tests. */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, redact: { paths: [...secretPaths], censor: '[removed]' }, base: { pid: process.pid } };
  return destination === undefined ? pino(options) : pino(options, destination);
}
