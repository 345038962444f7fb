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
import { benchFit } from '../research/fit.js';
import { benchForge } from './forge.js';
import { helpText, type Topics } from './help.js';
import { benchFiles } from './files.js';
import { benchIdentities } from './identities.js';
import { benchNeighbours } from './neighbours.js';
import type { HeavyThing } from './neighbours-storm.js';
import { benchOutcomes } from './outcomes.js';
import { benchOverload } from './overload.js';
import { benchReports } from './reports.js';
import { benchScore } from './score.js';
import { exceedsCommitted } from './score-targets.js';
import { warmUpDefault } from './score-turns.js';
import { benchProbe } from './probe.js';
import { benchProbability } from '../research/probability.js';
import { benchQuality } from '../research/quality.js';
import { benchSessionBytes } from './session-bytes.js';
import { findStack } from './stack.js';
import { benchStores } from './stores.js';
import { benchStudy } from './study.js';
import { benchThresholds } from './thresholds.js';
import { benchVerify } from './verify.js';
import { benchWebhooks } from './webhooks.js';

const known = {
  seconds: { type: 'string', default: '4' },
  rounds: { type: 'string', default: '3' },
  /** Rates of the open loop, separated by commas. */
  rates: { type: 'string', default: '200,500' },
  'warm-requests': { type: 'string', default: String(warmUpDefault.requests) },
  'warm-seconds': { type: 'string', default: String(warmUpDefault.seconds) },
  projects: { type: 'string', default: '10000' },
  known: { type: 'string', default: '1000000' },
  sessions: { type: 'string' },
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
  help: { type: 'boolean' },
} as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options: known });
const { help, embedded, intruders, kind, only, rates, sessions, bench: compared, write, ...texts } = values;
const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<
  keyof typeof texts,
  number
>;
const options = {
  ...numbers,
  ...(embedded && { embedded }),
  ...(intruders !== undefined && { intruders: Number(intruders) }),
  ...(sessions !== undefined && { sessions: Number(sessions) }),
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
  identities: benchIdentities,
  neighbours: benchNeighbours,
  outcomes: benchOutcomes,
  overload: benchOverload,
  probe: benchProbe,
  probability: benchProbability,
  quality: benchQuality,
  reports: benchReports,
  score: benchScore,
  'session-bytes': benchSessionBytes,
  stores: benchStores,
  study: benchStudy,
  thresholds: benchThresholds,
  verify: benchVerify,
  webhooks: benchWebhooks,
} as const;

const topics: Topics<keyof typeof benches> = {
  admin: 'provisioning and lists as an organization grows',
  browsers: 'scores of real browsers under drivers, and of people; drivers: npm ci --prefix bench/browsers',
  camera: 'the camera check on a person and on substitutes',
  compare: 'two commits in turns',
  counters: 'the counters alone, in memory and in Redis',
  devices: 'a score among many known devices',
  faces: 'the face search against an exact scan',
  files: 'files that one score executes',
  forge: 'attacks on a verification over HTTP alone',
  fit: 'fits the weights of scoring, and writes them',
  identities: 'repeated devices, by the score and by libraries of identifiers: npm ci --prefix bench/browsers',
  neighbours: 'one heavy organization next to another',
  outcomes: 'bulk outcomes over days of receipts',
  overload: 'four times more scores than the service can answer',
  probe: 'what the probe costs a page: bytes and milliseconds of each signal',
  probability: 'calibrates probabilities, and keeps the weights',
  quality: 'what scoring catches in simulated panel traffic',
  reports: 'reports against a recount, and their answer times',
  score: 'POST /lite/score against the mandatory pipeline',
  'session-bytes': 'bytes that a session leaves in each store',
  stores: 'consumers, bulk outcomes and memory on real stores',
  study: 'respondents whom a study lets in and keeps out',
  thresholds: 'simulation and recommended thresholds',
  verify: 'the verification server',
  webhooks: 'deliveries to a receiver',
};

if (help === true) {
  console.log(helpText(topics, known));
  process.exit(0);
}
const bench = Object.entries(benches).find(([each]) => each === name)?.[1];
if (bench === undefined) {
  console.error(`Name a bench: ${Object.keys(benches).join(', ')}. --help says what each measures.`);
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
