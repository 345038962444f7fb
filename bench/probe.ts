/**
 * Measures the cost of the probe for a page: bytes of each signal in its bundle, the time that reading it takes, and of whole runs the time
 * until the first message leaves and the longest piece of work. In Chromium without a graphics card, at full speed and slowed down four times, as phones are.
 */
import { basename } from 'node:path';
import { build } from 'esbuild';
import { launchForPages, openContext } from '../test/helpers/browser.js';
import { bundle, defaultAttributes, scriptPath } from '../test/helpers/probe-script.js';
import { repositoryPath } from '../test/helpers/repository.js';
import { startStaticSite } from '../test/helpers/static-site.js';
import { pollUntil } from '../test/helpers/wait-until.js';
import type { BenchResult } from './bench-result.js';
import { median } from './load.js';
import { markdownTable } from './markdown.js';

export interface ProbeOptions {
  /** Page loads at each speed. */
  readonly rounds?: number;
}

const slownesses = [1, 4] as const;

interface Note {
  /** Times of the signals that are read once, ms. */
  readonly reads: Readonly<Record<string, number>>;
  /** From the script's execution to its first message, and the longest task until then and a second after it, ms. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Reads every signal by itself, after the run of the whole is over. */
const timing = `
import { readers } from './sdk/lite/signals.ts';
const tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });
addEventListener('vh-lite:probe', () => setTimeout(async () => {
  const [sent] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/lite/probe'));
  const { startTime } = performance.getEntriesByName('before')[0];
  const during = tasks.filter((task) => task.startTime + task.duration > startTime && task.startTime < sent.startTime + 1_000);
  const reads = {};
  for (const [name, [, read]] of Object.entries(readers)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const from = performance.now();
    const answer = read();
    reads[name] = performance.now() - from;
    await Promise.resolve(answer).catch(() => undefined);
  }
  await fetch('/note', { method: 'POST', body: JSON.stringify({
    reads, firstMs: sent.startTime - startTime, longestMs: Math.max(0, ...during.map(({ duration }) => duration)),
  }) });
}, 1_200));`;

export async function benchProbe({ rounds = 10 }: ProbeOptions): Promise<BenchResult> {
  const { outputFiles } = await build({
    stdin: { contents: timing, resolveDir: repositoryPath('.') },
    ...{ bundle: true, write: false, format: 'iife' },
  });
  const site = await startStaticSite({
    files: {
      '/': `<!doctype html><meta charset="utf-8"><script src="/timing.js"></script><p>Survey</p><script>performance.mark('before')</script><script src="${scriptPath}" ${defaultAttributes}></script>`,
      '/timing.js': outputFiles[0]?.text ?? '',
      [scriptPath]: bundle(),
    },
  });
  const driven = await launchForPages();
  try {
    const measured: Note[][] = [];
    for (const slowness of slownesses) {
      const notes: Note[] = [];
      for (let round = 0; round < rounds; round++) notes.push(await visit(slowness));
      measured.push(notes);
    }
    return report(await bytesOfSignals(), measured);
  } finally {
    await driven.close();
    await site.close();
  }

  async function visit(slowness: number): Promise<Note> {
    const context = await openContext(driven);
    try {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
      const before = site.notes.length;
      await page.goto(site.origin);
      return (await pollUntil('the note', () => site.notes[before], 60_000)) as Note;
    } finally {
      await context.close();
    }
  }
}

/** Bytes that each file of a signal takes in the bundle, before names are shortened once more across files. */
async function bytesOfSignals(): Promise<Readonly<Record<string, number>>> {
  const { metafile } = await build({
    entryPoints: [repositoryPath('sdk/lite/script.ts')],
    ...{
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: 'iife',
      target: 'es2020',
      outfile: 'lite.js',
    },
  });
  const inputs = Object.entries(metafile.outputs['lite.js']?.inputs ?? {});
  return Object.fromEntries(
    inputs
      .filter(([path]) => path.includes('/signals/'))
      .map(([path, { bytesInOutput }]) => [basename(path, '.ts'), bytesInOutput]),
  );
}

function report(bytes: Readonly<Record<string, number>>, measured: readonly (readonly Note[])[]): BenchResult {
  const [full = [], slow = []] = measured;
  const read = (notes: readonly Note[], name: string) => {
    const times = notes.flatMap(({ reads }) => reads[name] ?? []);
    return times.length === 0 ? 'listens' : median(times).toFixed(1);
  };
  const of = (notes: readonly Note[], key: 'firstMs' | 'longestMs') => notes.map((note) => note[key]);
  const sum = (notes: readonly Note[], key: 'firstMs' | 'longestMs') =>
    `${median(of(notes, key)).toFixed(0)} (${Math.max(...of(notes, key)).toFixed(0)})`;
  return {
    table: [
      markdownTable(
        ['whole run, median (worst)', 'full speed', 'four times slower'],
        [
          ['ms to the first message', sum(full, 'firstMs'), sum(slow, 'firstMs')],
          ['ms of the longest task', sum(full, 'longestMs'), sum(slow, 'longestMs')],
        ],
      ),
      markdownTable(
        ['signal', 'bytes', 'ms, full speed', 'ms, four times slower'],
        Object.entries(bytes)
          .sort(([, a], [, b]) => b - a)
          .map(([name, size]) => [name, String(size), read(full, name), read(slow, name)]),
      ),
    ].join('\n'),
    ratios: { firstMs: median(of(full, 'firstMs')), longestMs: median(of(full, 'longestMs')) },
  };
}
