/**
 * `npm run bench -- NAME [options]` runs one bench, prints its tables and, last, one line of JSON with the ratios.
 * `npm run bench -- compare A B [--bench NAME]` runs it of two commits. `--write FILE` also puts the tables in the file, between its lines
 * `<!-- bench NAME -->` and `<!-- /bench -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchAdmin } from './admin.js';
import { benchBrowsers } from './browsers.js';
import { benchCamera } from './camera.js';
import { benchCompare } from './compare.js';
import { benchCounters } from './counters.js';
import { benchDevices } from './devices.js';
import { benchFaces } from './faces.js';
import { benchFit } from './fit.js';
import { benchForge } from './forge.js';
import { benchFiles } from './files.js';
import { benchNeighbours } from './neighbours.js';
import type { HeavyThing } from './neighbours-storm.js';
import { benchOutcomes } from './outcomes.js';
import { benchOverload } from './overload.js';
import { benchScore } from './score.js';
import { exceedsCommitted } from './score-targets.js';
import { warmUpDefault } from './score-turns.js';
import { benchQuality } from './quality.js';
import { benchSessionBytes } from './session-bytes.js';
import { findStack } from './stack.js';
import { benchStores } from './stores.js';
import { benchStudy } from './study.js';
import { benchThresholds } from './thresholds.js';
import { benchVerify } from './verify.js';
import { benchWebhooks } from './webhooks.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    /** Rates of the open loop, separated by commas. */
    rates: { type: 'string', default: '200,500' },
    'warm-requests': { type: 'string', default: String(warmUpDefault.requests) },
    'warm-seconds': { type: 'string', default: String(warmUpDefault.seconds) },
    projects: { type: 'string', default: '10000' },
    known: { type: 'string', default: '1000000' },
    sessions: { type: 'string', default: '5000000' },
    due: { type: 'string', default: '0' },
    days: { type: 'string', default: '400' },
    tries: { type: 'string', default: '20' },
    events: { type: 'string', default: '20000' },
    devices: { type: 'string', default: '100000' },
    traffic: { type: 'string', default: '6000' },
    intruders: { type: 'string' },
    embedded: { type: 'boolean' },
    kind: { type: 'string' },
    /** Heavy things of `neighbours`, separated by commas. */
    only: { type: 'string' },
    bench: { type: 'string', default: 'score' },
    write: { type: 'string' },
  },
});
const { embedded, intruders, kind, only, rates, bench: compared, write, ...texts } = values;
const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<
  keyof typeof texts,
  number
>;
const options = {
  ...numbers,
  ...(embedded && { embedded }),
  ...(intruders !== undefined && { intruders: Number(intruders) }),
  ...(kind !== undefined && { kind }),
  ...(only !== undefined && { only: only.split(',') as HeavyThing[] }),
  rates: rates.split(',').map(Number),
  warm: { requests: numbers['warm-requests'], seconds: numbers['warm-seconds'] },
};
const [name = '', ...commits] = positionals;

const benches = {
  admin: benchAdmin,
  browsers: benchBrowsers,
  camera: benchCamera,
  compare: () => benchCompare(commits, compared, options),
  counters: benchCounters,
  devices: benchDevices,
  faces: benchFaces,
  files: benchFiles,
  forge: benchForge,
  fit: benchFit,
  neighbours: benchNeighbours,
  outcomes: benchOutcomes,
  overload: benchOverload,
  quality: benchQuality,
  score: benchScore,
  'session-bytes': benchSessionBytes,
  stores: benchStores,
  study: benchStudy,
  thresholds: benchThresholds,
  verify: benchVerify,
  webhooks: benchWebhooks,
} as const;

const bench = Object.entries(benches).find(([known]) => known === name)?.[1];
if (bench === undefined) {
  console.error(`Name a bench: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
const [start, end] = [`<!-- bench ${name} -->\n`, '<!-- /bench -->'];
if (write !== undefined && !readFileSync(write, 'utf8').includes(start))
  throw new Error(`${write} has no line ${start.trim()}`);
const { table, ratios } = await bench(options);
console.log(table);
if (write !== undefined) {
  const [before = '', rest = ''] = readFileSync(write, 'utf8').split(start);
  writeFileSync(write, `${before}${start}\n${table}\n${rest.slice(rest.indexOf(end))}`);
}
console.log(JSON.stringify(ratios));
// Limits are multiples of the pipeline, which needs real stores.
const exceeded = name === 'score' && findStack() !== null && !embedded ? exceedsCommitted(ratios, options.rates) : [];
if (exceeded.length > 0) {
  console.error(exceeded.join('\n'));
  process.exitCode = 1;
}
