/**
 * The structured log. Secrets are removed by path, request bodies are not logged, and of errors only fields that name nobody. A repeated
 * warning or error is written once, then summed up once a minute. Logging never throws.
 */
import { pino, type Logger, type LoggerOptions } from 'pino';
import { showError } from './logged-error.js';
import { createRepeatGuard } from './repeat-guard.js';

export type { Logger };

/** Paths under which a secret could stand in an object that is logged. */
const secretPaths: readonly string[] = [
  ...['apiKey', 'token', 'secret', 'clientSecret', 'password', 'authorization'].flatMap((name) => [name, `*.${name}`]),
  ...['authorization', 'x-api-key', 'x-client-secret', 'cookie'].flatMap((name) => [
    `headers["${name}"]`,
    `req.headers["${name}"]`,
  ]),
];

const warnLevel = 40;

export interface LogDestination {
  write(line: string): void;
}

/** A logger on standard output, or on `destination`. Repetitions are summed up every `summaryMs`, a minute unless said otherwise. */
export function createLogger(level: string, destination?: LogDestination, summaryMs?: number): Logger {
  const options: LoggerOptions = {
    level,
    redact: { paths: [...secretPaths], censor: '[removed]' },
    base: { pid: process.pid },
    serializers: { err: showError },
    hooks: { logMethod: holdRepeats(summaryMs) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function holdRepeats(summaryMs: number | undefined): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const guard = createRepeatGuard(summaryMs);
  return function (args, method, level) {
    const [details, message] = args as [unknown, unknown];
    const lastTime = Date.now();
    const summarize = (repeated: number): void => {
      const fields = typeof details === 'object' && details !== null ? details : {};
      const words = typeof details === 'string' ? details : message;
      method.apply(this, [{ ...fields, repeated, lastTime }, String(words)]);
    };
    if (level < warnLevel || guard.passes(kindOf(level, details, message), summarize)) method.apply(this, args);
  };
}

/** Two lines are the same if their words and the kind of their error agree; for a bug also its location, for a damaged record also its id. */
function kindOf(level: number, details: unknown, message: unknown): string {
  if (typeof details !== 'object' || details === null) return `${level} ${String(details)}`;
  const { err, code, fingerprintId } = details as Readonly<Record<'err' | 'code' | 'fingerprintId', unknown>>;
  const error = err instanceof Error ? err : null;
  const place = code === 'INTERNAL' ? (error?.stack ?? '').split('\n    at ', 2)[1] : '';
  return [
    String(level),
    message,
    code,
    error?.name,
    (error as { readonly code?: unknown } | null)?.code,
    place,
    fingerprintId,
  ]
    .map((part) => (typeof part === 'string' ? part.slice(0, 200) : ''))
    .join('\n');
}
