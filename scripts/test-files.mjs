// `node scripts/test-files.mjs FILE...`: runs compiled tests one after the other in one process, which saves most small files more than they take.
// Each file ends, with all that it has started, before the next is loaded.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';

// The engine shares what it compiles of a module while somebody holds the module: here, from one embedded database to the next.
const databasePath = new URL('../node_modules/@electric-sql/pglite/dist/pglite.wasm', import.meta.url);
t.context = { database: await WebAssembly.compile(await readFile(databasePath)) };

const add = t.test;
let lastTest = Promise.resolve();
let teardowns = [];
t.test = (...described) => (lastTest = add(...described));
// The time of all files together is limited by who starts this.
t.setTimeout = () => undefined;
// The root's would run when the last file ends.
t.teardown = (work) => void teardowns.push(work);

/** Seconds of processor of this process until now. */
const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

for (const file of process.argv.slice(2)) {
  const before = processorSeconds();
  await import(pathToFileURL(file).href);
  // Tests run in the order in which they were added.
  await lastTest;
  for (const work of teardowns.toReversed()) await work();
  teardowns = [];
  // `test.mjs` reads this line.
  t.comment(`${file} took ${(processorSeconds() - before).toFixed(1)} s of processor`);
}
