/**
 * `events import FILE.csv`: posts outcomes from a table. Lines are sent in parts, and after each part a file next to the table says how far it came,
 * so that the same command goes on after an interruption. Events that are sent twice count once.
 */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parse, type CsvError } from 'csv-parse';
import { VerifyHumanError, type EventsSummary } from '../../../sdk/node/index.js';
import type { OutcomeEvent } from '../../contract/outcome.js';
import { UsageError, type Given, type Output, type RemoteCommand } from './command.js';

const columns = ['sessionId', 'type', 'occurredAt', 'reasonClass', 'eventId', 'projectId'] as const;
const required = columns.slice(0, 3);
/** Begins the columns of an event’s `detail`. */
const detailStart = 'detail.';
/** Lines sent at once: four requests of the client. */
const partMax = 4_000;
const lineCharactersMax = 100_000;

interface Progress {
  /** Lines below the head that are done. */
  readonly done: number;
  readonly sum: Sum;
}
type Sum = Readonly<Record<'accepted' | 'corrected' | 'duplicates' | 'unmatched' | 'rejected', number>>;

interface Line {
  readonly number: number;
  readonly event: Readonly<Record<string, unknown>>;
}

interface Refusal {
  readonly line: number;
  readonly reason: string;
}

interface Part {
  readonly lines: readonly Line[];
  /** Lines that could not be read. */
  readonly refusals: readonly Refusal[];
}

export const importEvents: RemoteCommand = {
  does: 'posts outcomes from a CSV file',
  usage: `events import FILE.csv [--restart]

The first line names the columns: ${columns.join(', ')}, and ${detailStart}NAME for what belongs into detail.
${required.join(', ')} are required. Refused lines are written to FILE.csv.refused. The command goes on where
it was interrupted; --restart begins again. Events that are sent twice count once.`,
  options: { restart: { type: 'boolean' } },
  async run(given) {
    const [verb, file, ...others] = given.positionals;
    if (verb !== 'import' || file === undefined || others.length > 0) throw new UsageError('Name one file to import.');
    if (!existsSync(file)) throw new UsageError(`${file} does not exist.`);
    return importFile(file, given);
  },
};

async function importFile(file: string, { values, remote, progress }: Given): Promise<Output> {
  const [progressFile, refusedFile] = [`${file}.progress`, `${file}.refused`];
  if (values['restart'] === true) rmSync(progressFile, { force: true });
  const begun = readProgress(progressFile);
  const { client } = remote();
  const bytes = statSync(file).size;
  const refused = createWriteStream(refusedFile, { flags: begun.done > 0 ? 'a' : 'w' });
  let { done, sum } = begun;
  if (done > 0) progress(`Going on after line ${done + 1}.`);
  const input = createReadStream(file);
  for await (const part of partsOf(input, done)) {
    const reply = part.lines.length === 0 ? null : await post(client, part.lines, done === 0);
    const refusals = [...part.refusals, ...(reply === null ? [] : refusalsOf(reply, part.lines))];
    for (const { line, reason } of refusals) refused.write(`line ${line}: ${reason}\n`);
    done += part.lines.length;
    sum = add(sum, reply, part.refusals.length);
    writeFileSync(progressFile, JSON.stringify({ done, sum } satisfies Progress));
    progress(`${Math.min(100, Math.round((100 * input.bytesRead) / bytes))}%  ${done} lines, ${sum.rejected} refused`);
  }
  await new Promise((resolve) => refused.end(resolve));
  rmSync(progressFile, { force: true });
  if (sum.rejected === 0) rmSync(refusedFile, { force: true });
  return { data: { lines: done, ...sum }, text: describe(done, sum, refusedFile) };
}

/** Lines of a table as events, some thousand at once, after `skipped` of them. */
async function* partsOf(input: NodeJS.ReadableStream, skipped: number): AsyncGenerator<Part> {
  let [lines, refusals]: [Line[], Refusal[]] = [[], []];
  let seen = 0;
  const parser = parse({
    ...{ bom: true, columns: checkHead, info: true, trim: true, skipEmptyLines: true, skipRecordsWithError: true },
    ...{ recordDelimiter: ['\r\n', '\n', '\r'], maxRecordSize: lineCharactersMax },
  });
  parser.on('skip', (error: CsvError | undefined) => {
    if (seen >= skipped && error !== undefined) refusals.push({ line: Number(error['lines']), reason: error.message });
  });
  input.once('error', (error: Error) => parser.destroy(error));
  for await (const { record, info } of input.pipe(parser) as AsyncIterable<Parsed>) {
    seen += 1;
    if (seen <= skipped) continue;
    lines.push({ number: info.lines, event: eventOf(record) });
    if (lines.length < partMax) continue;
    yield { lines, refusals };
    [lines, refusals] = [[], []];
  }
  if (lines.length + refusals.length > 0) yield { lines, refusals };
}

interface Parsed {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function checkHead(names: readonly string[]): string[] {
  const known: readonly string[] = columns;
  const unknown = names.find((name) => !known.includes(name) && !name.startsWith(detailStart));
  if (unknown !== undefined)
    throw new UsageError(
      `"${unknown}" is no column of an outcome. Columns, separated by commas: ${columns.join(', ')}, ${detailStart}NAME.`,
    );
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new UsageError(
      `The first line has the columns ${names.join(', ')}, but no "${missing}". Required: ${required.join(', ')}.`,
    );
  return [...names];
}

function eventOf(record: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const given = Object.entries(record).filter(([, value]) => value !== '');
  const detail = given
    .filter(([name]) => name.startsWith(detailStart))
    .map(([name, value]) => [name.slice(detailStart.length), value] as const);
  const own = given.filter(([name]) => !name.startsWith(detailStart));
  const named: Record<string, unknown> = Object.fromEntries(own);
  return detail.length === 0 ? named : { ...named, detail: Object.fromEntries(detail) };
}

/** A part of which every line is refused is one that was answered, but for the first: its table is another one. */
async function post(
  client: ReturnType<Given['remote']>['client'],
  part: readonly Line[],
  isFirst: boolean,
): Promise<EventsSummary> {
  try {
    return await client.events(part.map(({ event }) => event as OutcomeEvent));
  } catch (error) {
    if (isFirst || !(error instanceof VerifyHumanError) || error.code !== 'EVENTS_REJECTED' || error.posted === null)
      throw error;
    return error.posted;
  }
}

function refusalsOf({ issues }: EventsSummary, part: readonly Line[]): readonly Refusal[] {
  return issues.map(({ path, message }) => {
    const [, index = '0', place = ''] = /^\/events\/(\d+)\/?(.*)$/.exec(path) ?? [];
    return { line: part[Number(index)]?.number ?? 0, reason: `${place} ${message}`.trim() };
  });
}

const nothing: Sum = { accepted: 0, corrected: 0, duplicates: 0, unmatched: 0, rejected: 0 };

function add(sum: Sum, reply: EventsSummary | null, unreadable: number): Sum {
  const added = Object.entries(sum).map(([name, value]) => [name, value + (reply?.[name as keyof Sum] ?? 0)] as const);
  const both = Object.fromEntries(added) as Sum;
  return { ...both, rejected: both.rejected + unreadable };
}

function readProgress(file: string): Progress {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Progress) : { done: 0, sum: nothing };
}

function describe(lines: number, { accepted, duplicates, unmatched, rejected }: Sum, refusedFile: string): string {
  const known = `${lines} lines: ${accepted} accepted, ${duplicates} known before, ${rejected} refused.`;
  return [
    known,
    ...(unmatched > 0
      ? [`${unmatched} are of sessions without a score: their id has another form, or the score comes later.`]
      : []),
    ...(rejected > 0 ? [`The reasons are in ${refusedFile}.`] : []),
  ].join('\n');
}
