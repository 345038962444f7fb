/** `npm run bench -- NAME [--seconds N] [--rounds N] [--projects N] [--known N] [--sessions N] [--due N] [--days N] [--events N] [--devices N] [--embedded]`: runs one bench, prints its table and, last, one line of JSON with the ratios. */
import { parseArgs } from 'node:util';
import { benchAdmin } from './admin.js';
import { benchCounters } from './counters.js';
import { benchDevices } from './devices.js';
import { benchFaces } from './faces.js';
import { benchFiles } from './files.js';
import { benchOutcomes } from './outcomes.js';
import { benchOverload } from './overload.js';
import { benchScore } from './score.js';
import { benchStores } from './stores.js';
import { benchThresholds } from './thresholds.js';
import { benchVerify } from './verify.js';
import { benchWebhooks } from './webhooks.js';

const benches = {
  admin: benchAdmin,
  counters: benchCounters,
  devices: benchDevices,
  faces: benchFaces,
  files: benchFiles,
  outcomes: benchOutcomes,
  overload: benchOverload,
  score: benchScore,
  stores: benchStores,
  thresholds: benchThresholds,
  verify: benchVerify,
  webhooks: benchWebhooks,
} as const;

const options = {
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  projects: { type: 'string' },
  known: { type: 'string' },
  sessions: { type: 'string' },
  due: { type: 'string' },
  days: { type: 'string' },
  events: { type: 'string' },
  devices: { type: 'string' },
  embedded: { type: 'boolean' },
} as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const bench = Object.entries(benches).find(([name]) => name === positionals[0])?.[1];
if (bench === undefined) {
  console.error(`Say which bench: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
const { table, ratios } = await bench({
  seconds: Number(values.seconds ?? 4),
  rounds: Number(values.rounds ?? 3),
  projects: Number(values.projects ?? 10_000),
  known: Number(values.known ?? 1_000_000),
  sessions: Number(values.sessions ?? 5_000_000),
  due: Number(values.due ?? 0),
  ...(values.embedded === true && { embedded: true }),
  days: Number(values.days ?? 400),
  events: Number(values.events ?? 20_000),
  devices: Number(values.devices ?? 100_000),
});
console.log(table);
console.log(JSON.stringify(ratios));
