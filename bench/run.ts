/** `npm run bench -- NAME [--seconds N] [--rounds N]`: runs one bench, prints its table and, last, one line of JSON with the ratios. */
import { parseArgs } from 'node:util';
import { benchScore } from './score.js';

const benches = { score: benchScore } as const;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string' }, rounds: { type: 'string' } } });
const bench = Object.entries(benches).find(([name]) => name === positionals[0])?.[1];
if (bench === undefined) {
  console.error(`Say which bench: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
const { table, ratios } = await bench({ seconds: Number(values.seconds ?? 4), rounds: Number(values.rounds ?? 3) });
console.log(table);
console.log(JSON.stringify(ratios));
