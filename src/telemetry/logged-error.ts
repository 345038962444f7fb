/**
 * The logged part of an error: fields that name the fault. Client libraries add commands, rows and texts, which hold callers’ data
 * about respondents; those stay out.
 */
const frameLinesMax = 12;
const messageLengthMax = 500;
const causesMax = 4;

/** Fields that are copied where they hold a short text or a number; everything else stays out. */
const fieldsShown = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'kind',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'broker',
  'retriable',
] as const;

/** SQLSTATE classes whose messages quote names of the schema or of the server, never a value. */
const namesOnly = /^(?:08|25|28|3D|3F|40|42|53|54|55|57|58|XX)/;
/** Written here: their messages are ours. */
const ownErrors = ['Fault', 'DatabaseConflict', 'SettingError'];
const identifier = /^[A-Za-z_$][\w$]{0,62}$/;
const stackFrame = /^\s+at /;

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly [field: string]: unknown;
}

/** A serializer of pino. A value that is no error is logged as its type. */
export function showError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'no error object was thrown' };
  const fields = error as unknown as Readonly<Record<string, unknown>>;
  const shown = fieldsShown.flatMap((name) => {
    const value = fields[name];
    const isShort = (typeof value === 'string' && value.length <= 200) || ['number', 'boolean'].includes(typeof value);
    return isShort ? [[name, value] as const] : [];
  });
  const frames = (error.stack ?? '').split('\n').filter((line) => stackFrame.test(line));
  return {
    type: error.name,
    message: wordsOf(error),
    ...Object.fromEntries(shown),
    ...(frames.length === 0 ? {} : { stack: frames.slice(0, frameLinesMax).join('\n') }),
    ...(error.cause === undefined || depth >= causesMax ? {} : { cause: showError(error.cause, depth + 1) }),
  };
}

/** The message of an error up to the first value that it quotes: a value may hold quotation marks, so that its end is not known. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error object was thrown';
  const { code } = error as { readonly code?: unknown };
  const message = error.message.slice(0, messageLengthMax);
  if (ownErrors.includes(error.name) || (typeof code === 'string' && namesOnly.test(code))) return message;
  const words = message.replace(/ with args beginning with:.*$/s, ' with args');
  const isOfCode = error.name === 'TypeError' || error.name === 'ReferenceError';
  return isOfCode && quotesNames(words) ? words : words.replace(/(?:(?<![A-Za-z])'|["`{[]).*$/s, '…');
}

/** Whether all that it quotes are names of the code. */
const quotesNames = (words: string): boolean =>
  words
    .split(/["'`]/)
    .every((part, index, parts) =>
      index % 2 === 0 ? !/[{[]/.test(part) : index < parts.length - 1 && identifier.test(part),
    );
