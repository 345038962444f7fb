/**
 * Bench of the face search: searches of one scope by a thread of their own, against the exact scan of all templates by the same loop, in turns,
 * in one run. Templates are random unit vectors, the hardest there are: nothing clusters, so that everything is about equally far. Half of the queries are
 * noisy copies of a template, half are strangers.
 *
 * Recall is held against plain floating point arithmetic over the whole gallery, for everything at or above the likeness that is looked for.
 */
import { performance } from 'node:perf_hooks';
import type { BenchResult } from './bench-result.js';
import { dot } from '../src/verification/uniqueness/embedding.js';
import { cutoffsFor } from '../src/verification/uniqueness/face-models.js';
import { createEncoder } from '../src/verification/uniqueness/scan/encoder.js';
import { createGallery, type Gallery } from '../src/verification/uniqueness/scan/gallery.js';
import { layoutFor } from '../src/verification/uniqueness/scan/layout.js';
import { createSearcher, type Searcher } from '../src/verification/uniqueness/scan/searcher.js';
import { search } from '../src/verification/uniqueness/scan/search.js';
import { createLogger } from '../src/telemetry/logger.js';
import { directionNear, randomDirection, testModel } from '../test/helpers/faces.js';
import { createRandom } from '../workers/seeded-random.js';
import { median, quantile } from './load.js';

export interface FacesBenchOptions {
  /** Templates in the scope. */
  readonly known?: number;
  readonly rounds?: number;
  readonly queries?: number;
}

const seed = 20_263;
const { dimension } = testModel;
const cell = 'bench';

export async function benchFaces({
  known = 100_000,
  rounds = 3,
  queries = 200,
}: FacesBenchOptions): Promise<BenchResult> {
  const random = createRandom(seed);
  const layout = layoutFor(dimension);
  const encoder = createEncoder(layout, (count) => Uint8Array.from({ length: count }, () => random() * 256));
  const gallery = createGallery(layout);
  const plain = new Float32Array(known * dimension);
  const fillMs = clock(() => {
    for (let number = 0; number < known; number += 1) {
      const unit = randomDirection(random);
      plain.set(unit, number * dimension);
      gallery.add(cell, number, encoder.encode(unit), 0);
    }
  });
  const { same, near } = cutoffsFor(testModel, known);
  const probes = Array.from({ length: queries }, (_, index) =>
    index % 2 === 0
      ? randomDirection(random)
      : directionNear(templateOf(plain, Math.floor(random() * known)), same, random),
  );
  const searcher = createSearcher({ threads: 1, searchesMax: 8, deadlineMs: 60_000, logger: createLogger('silent') });
  try {
    const ask = (unit: Float32Array, likenessMin: number) =>
      searcher.search(gallery, {
        cells: [cell],
        template: encoder.encode(unit),
        likenessMin,
        likenessSure: same,
        sinceSeconds: 0,
        bestMax: 16,
      });
    for (const unit of probes.slice(0, 20)) await ask(unit, near);
    const timesMs: number[] = [];
    const cpuMs: number[] = [];
    const exactMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const unit of probes) timesMs.push(await timed(() => ask(unit, near)));
      // Measures the whole process, which does nothing else: the cost of a search, independent of other load.
      for (const unit of probes) cpuMs.push(await cpuOf(() => ask(unit, near)));
      for (const unit of probes.slice(0, Math.ceil(queries / 10)))
        exactMs.push(exactScan(gallery, encoder.encode(unit)));
    }
    const recall = await measureRecall({ searcher, gallery, plain, probes, encoder, near, same });
    return report({ known, timesMs, cpuMs, exactMs, fillMs, bytes: gallery.bytes(), recall });
  } finally {
    await searcher.close();
  }
}

interface Measured {
  readonly known: number;
  readonly timesMs: readonly number[];
  readonly cpuMs: readonly number[];
  readonly exactMs: readonly number[];
  readonly fillMs: number;
  readonly bytes: number;
  readonly recall: { readonly found: number; readonly there: number };
}

function report({ known, timesMs, cpuMs, exactMs, fillMs, bytes, recall }: Measured): BenchResult {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(Float64Array.from(timesMs).sort(), share));
  const ratios = {
    seed,
    templates: known,
    p50Ms: round(p50 ?? 0),
    p95Ms: round(p95 ?? 0),
    p99Ms: round(p99 ?? 0),
    cpuP50Ms: round(median(cpuMs)),
    exactP50Ms: round(median(exactMs)),
    exactRatio: round((p50 ?? 0) / median(exactMs)),
    recall: recall.there === 0 ? 1 : Math.round((recall.found / recall.there) * 1e4) / 1e4,
    recallOf: recall.there,
    bytesPerTemplate: Math.round(bytes / known),
    fillMicroseconds: round((fillMs * 1_000) / known),
  };
  const table = Object.entries(ratios)
    .map(([name, value]) => `${name.padEnd(20)} ${value}`)
    .join('\n');
  return { table, ratios };
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Every template of the gallery none passed over. */
function exactScan(gallery: Gallery, template: ReturnType<ReturnType<typeof createEncoder>['encode']>): number {
  return clock(() => {
    search(gallery.space, {
      ...template,
      heads: gallery.headsOf([cell]),
      bitsMax: gallery.layout.codeBits,
      likenessMin: 0.3,
      sinceSeconds: 0,
      bestMax: 16,
    });
  });
}

/** The share of templates that are at least `near` and that the search finds (the 16 most alike of each probe at most). */
async function measureRecall({
  searcher,
  gallery,
  plain,
  probes,
  encoder,
  near,
  same,
}: {
  readonly searcher: Searcher;
  readonly gallery: Gallery;
  readonly plain: Float32Array;
  readonly probes: readonly Float32Array[];
  readonly encoder: ReturnType<typeof createEncoder>;
  readonly near: number;
  readonly same: number;
}): Promise<{ found: number; there: number }> {
  const sum = { found: 0, there: 0 };
  for (const unit of probes) {
    const { recent } = await searcher.search(gallery, {
      cells: [cell],
      template: encoder.encode(unit),
      likenessMin: near,
      likenessSure: same,
      sinceSeconds: 0,
      bestMax: 16,
    });
    const numbers = new Set(recent.map(({ slot }) => gallery.confirm(slot, encoder.encode(unit))?.number));
    for (let number = 0; number < plain.length / dimension; number += 1) {
      if (dot(unit, templateOf(plain, number)) < near) continue;
      sum.there += 1;
      if (numbers.has(number)) sum.found += 1;
    }
  }
  return sum;
}

function clock(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

const templateOf = (plain: Float32Array, number: number): Float32Array =>
  plain.subarray(number * dimension, (number + 1) * dimension);
