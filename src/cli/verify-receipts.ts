/**
 * `npm run verify-receipts`: verifies a chain of receipts through the API or from a file, and prints a summary. Ends with 3 and names the first receipt
 * that does not verify; with 2 where it could not read them.
 */
import { renameSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { countNoun } from '../contract/plural.js';
import type { Receipt } from '../record/types.js';
import { excerptOf } from './receipts/excerpt.js';
import { exportTo, partEnding, readFromApi, readFromFile } from './receipts/chain-source.js';
import { BrokenChain, type ChainExport, type ChainSummary, checkChain } from './receipts/check-chain.js';

const usage = `It is written
  verify-receipts --url API --key KEY [--project ID] [--receipt ID] [--export FILE] [--kept FILE]
  verify-receipts FILE [--receipt ID] [--export FILE] [--kept FILE]`;
/** No other end has it: a process that crashes ends with 1. */
const brokenExitCode = 3;

try {
  const { given, kept, path } = await open();
  const all = kept === null ? given : withKept(given, kept);
  const summary = await checkChain(all, { judge: (facts) => recordVerdict(scoreFacts(facts)), modelVersion });
  if (path !== undefined) renameSync(path + partEnding, path);
  process.stdout.write(`${describe(summary, kept)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof BrokenChain ? brokenExitCode : 2;
}

interface Opened {
  readonly given: ChainExport;
  readonly kept: ChainExport | null;
  /** The export takes this place once all of it verified. */
  readonly path: string | undefined;
}

async function open(): Promise<Opened> {
  const { values, positionals } = readArguments();
  const { url, key = process.env['VERIFYHUMAN_KEY'], project = null, kept, receipt, export: path } = values;
  const [file, ...more] = positionals;
  const isApi = url !== undefined && key !== undefined;
  if (more.length > 0 || isApi === (file !== undefined)) throw new Error(usage);
  const all = isApi ? await readFromApi({ url, key, projectId: project }) : await readFromFile(file ?? '');
  const read = receipt === undefined ? all : await excerptOf(receipt, all);
  const given = path === undefined ? read : exportTo(path, read);
  return { given, kept: kept === undefined ? null : await readFromFile(kept), path };
}

function readArguments() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      options: { url: text, key: text, project: text, receipt: text, kept: text, export: text },
      allowPositionals: true,
    });
  } catch (error) {
    throw new Error(`${(error as Error).message.split('. ')[0]}. ${usage}`, { cause: error });
  }
}

/** Heads and keys of an earlier export: the present chain has to agree with them. */
function withKept(given: ChainExport, kept: ChainExport): ChainExport {
  if (given.chain !== kept.chain) throw new Error(`The kept export is of the chain ${kept.chain}, not ${given.chain}.`);
  const known = new Set(given.keys.map(({ kid }) => kid));
  return {
    ...given,
    heads: [...given.heads, ...kept.heads],
    keys: [...given.keys, ...kept.keys.filter(({ kid }) => !known.has(kid))],
  };
}

function describe(summary: ChainSummary, kept: ChainExport | null): string {
  const { chain, first, last, recorded, recomputed, otherRules, erased, expired, withheld, shown } = summary;
  const { heads, earlierHeads, keys } = summary;
  const others = Object.entries(otherRules).map(
    ([version, count]) => `not recomputed: ${countNoun(count, 'receipt')} of the rules ${version}`,
  );
  const isNew = (key: string): boolean => kept !== null && !kept.keys.some(({ kid }) => kid === key);
  return [
    last < first
      ? `The chain ${chain} verifies. It has no receipts.`
      : `The chain ${chain} verifies, from number ${first} to ${last}.`,
    ...(shown === null ? [] : [describeShown(shown)]),
    `signatures: ${countNoun(recorded, 'receipt')}, ${countNoun(heads, 'head')}`,
    `recomputed: ${countNoun(recomputed, 'receipt')} with the same outcome`,
    ...others,
    `without content: ${erased} erased, ${expired} expired${withheld === 0 ? '' : `, ${withheld} withheld`}`,
    ...(earlierHeads === 0 ? [] : [`not compared: ${countNoun(earlierHeads, 'head')} of receipts deleted by age`]),
    ...keys.map((key) => `key: ${key}${isNew(key) ? ', which the kept export does not have' : ''}`),
  ].join('\n');
}

function describeShown({ receiptId, sessionId, trace, verdict: { score, recommendation } }: Receipt): string {
  return `${receiptId}: session ${sessionId} of ${new Date(trace.nowMs).toISOString()}, score ${score}, ${recommendation}`;
}
