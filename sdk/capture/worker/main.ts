/**
 * The worker: loads the models, looks at the frames that it is sent, one at a time, and sums up. Whatever goes wrong is answered with `failed`;
 * the page ends the worker.
 */
import type { FrameAnalysis } from '../frame-analysis.js';
import type { FromWorker, ToWorker } from '../protocol.js';
import { createFrameAnalyzer, type FrameAnalyzer } from './frame-analyzer.js';
import { findFaces } from './detector.js';
import type { Source } from './load.js';
import { readMesh } from './mesh.js';
import { readFrom } from './load.js';
import { fetchLater, loadFirst, type FirstModels, type LaterModels } from './models.js';
import type { Picture } from './picture.js';

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

/** Longer side of the pictures looked at, pixels. */
const sideMax = 640;

const scope = self as unknown as WorkerScope;
let analyzer: FrameAnalyzer | null = null;
let later: Promise<() => Promise<LaterModels>> | null = null;
let canvas: OffscreenCanvas | null = null;

scope.onmessage = ({ data }) => {
  answer(data).then(
    (message) => scope.postMessage(message),
    (error: unknown) => scope.postMessage({ type: 'failed', message: String(error) }),
  );
};

async function answer(message: ToWorker): Promise<FromWorker> {
  switch (message.type) {
    case 'load': {
      const { demographics, files, baseUrl } = message;
      const source = { files, read: readFrom(baseUrl) };
      const first = await loadFirst({ ...source, onBytes: countBytes() });
      later = fetchLater(source, demographics);
      later.catch((error: unknown) => scope.postMessage({ type: 'failed', message: String(error) }));
      analyzer = createFrameAnalyzer(first, message);
      warm(first);
      return { type: 'ready' };
    }
    case 'analyze':
      return { type: 'analyzed', analysis: await mark(started().analyze(read(message.bitmap))) };
    case 'conclude': {
      const watched = started();
      if (later === null) throw new Error('nothing was loaded');
      const build = await later;
      return { type: 'concluded', summary: await watched.conclude(await build()) };
    }
  }
}

/** Adds up what is asked for and what has arrived, and reports it to the page. */
function countBytes(): NonNullable<Source['onBytes']> {
  let sum = { loaded: 0, total: 0 };
  return ({ loaded, total }) => {
    sum = { loaded: sum.loaded + loaded, total: sum.total + total };
    scope.postMessage({ type: 'progress', ...sum });
  };
}

/** The first run of a model takes several times as long as the next: here nobody waits for it in front of a camera. */
function warm(first: FirstModels): void {
  const side = 256;
  const picture: Picture = { data: new Uint8ClampedArray(side * side * 4), width: side, height: side };
  findFaces(first.detector, picture);
  readMesh(first, picture, { x: side / 2, y: side / 2, side: side / 2, angle: 0 }, 0);
}

/** If a picture was taken, the mark of the frame is 64 bits of its SHA-256, by which the service recognises the picture. */
async function mark(analysis: FrameAnalysis): Promise<FrameAnalysis> {
  const { picture } = analysis;
  if (picture === null) return analysis;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', picture.slice().buffer));
  const hash = [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ...analysis, hash };
}

function started(): FrameAnalyzer {
  if (analyzer === null) throw new Error('frames came before the models');
  return analyzer;
}

function read(bitmap: ImageBitmap): Picture {
  const scale = Math.min(1, sideMax / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(16, Math.round(bitmap.width * scale));
  const height = Math.max(16, Math.round(bitmap.height * scale));
  if (canvas?.width !== width || canvas.height !== height) canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('the browser gives no canvas to a worker');
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return context.getImageData(0, 0, width, height);
}
