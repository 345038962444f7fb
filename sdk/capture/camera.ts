/**
 * The camera part of the widget. The camera is on from its opening to the last frame, and off before anything else is done, however the
 * capture ends: done, aborted, failed, or left by the page. Frames go to a worker and are gone with it; measurements come back.
 */
import type { Camera, CapturedParts, CaptureOutcome, CaptureRequest, CaptureTelemetry } from '../widget/ports.js';
import { describeCamera, openCamera, stopStream } from './camera-stream.js';
import { reportDeepfake } from './deepfake.js';
import { direct, type Direction, type Take } from './director.js';
import { startFrames, type FrameSource } from './frame-source.js';
import { AnalysisError, startAnalysisWorker, type AnalysisWorker } from './analysis-worker.js';
import { toDemographics, toEmbedding, toFeatures } from './parts.js';
import type { Summary } from './frame-analysis.js';
import { createRecorder, type Recorder } from './recorder.js';

/** Longest wait for a frame of an open camera, ms. */
const frameMsMax = 5_000;

export const camera: Camera = {
  prepare(models) {
    let analysis = startAnalysisWorker(models);
    return {
      capture(request) {
        // Analysis that failed before it was needed is tried again.
        if (analysis.hasFailed()) analysis = startAnalysisWorker(models);
        return capture(request, analysis);
      },
      close: () => analysis.close(),
    };
  },
};

async function capture(request: CaptureRequest, analysis: AnalysisWorker): Promise<CaptureOutcome> {
  const { signal, guide } = request;
  // Ended by the respondent, or by leaving the page.
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  const left = new DOMException('the page was left', 'AbortError');
  const onLeave = (): void => stop.abort(left);
  signal.addEventListener('abort', onAbort);
  addEventListener('pagehide', onLeave);
  try {
    signal.throwIfAborted();
    guide({ kind: 'loading' });
    analysis.watchLoading((bytes) => guide({ kind: 'loading', bytes }));
    const outcome = await untilAborted(measure({ ...request, signal: stop.signal }, analysis), stop.signal);
    // Without a picture nothing was done that could be praised.
    if (outcome.kind === 'captured') guide({ kind: 'done' });
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    // Nothing is sent for a page that is going; one that the respondent comes back to asks again.
    if (stop.signal.reason === left) return { kind: 'refused', reason: 'dismissed', name: left.name };
    const detail = error instanceof AnalysisError ? { detail: error.message } : {};
    return { kind: 'unavailable', reason: reasonOf(error), parts: {}, ...detail };
  } finally {
    signal.removeEventListener('abort', onAbort);
    removeEventListener('pagehide', onLeave);
    analysis.close();
  }
}

/** Stops waiting when the respondent stops; what is under way sees the same signal and ends by itself. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

const reasonOf = (error: unknown): string => {
  if (error instanceof AnalysisError) return 'mediapipe_load_failed';
  return error instanceof DOMException ? error.name : 'unknown_capability';
};

async function measure(request: CaptureRequest, worker: AnalysisWorker): Promise<CaptureOutcome> {
  const { signal, originMs } = request;
  const startedMs = performance.now();
  const opened = await openCamera(signal);
  if (opened.kind === 'unavailable') return { ...opened, parts: {} };
  if (opened.kind === 'refused') return opened;
  const off = (): void => stopStream(opened.stream);
  signal.addEventListener('abort', off);
  let frames: FrameSource | null = null;
  try {
    frames = await startFrames(opened.stream, request.video);
    const cameraMs = performance.now() - originMs;
    const described = await describeCamera(opened.track);
    const parts: CapturedParts = { camera: described, cameraMs };
    await worker.ready;
    const modelsMs = performance.now() - startedMs;
    const recorder = createRecorder(request.challengeCount);
    const direction = await record(request, worker, frames, recorder);
    off();
    frames.close();
    if (direction.end === 'no_face') return { kind: 'unavailable', reason: 'no_face_capture', parts };
    if (direction.end === 'ended') return { kind: 'refused', reason: 'busy', name: 'NotReadableError' };
    const summary = await worker.conclude();
    return finish(request, { ...parts, modelsMs }, recorder, direction, summary);
  } finally {
    off();
    frames?.close();
    signal.removeEventListener('abort', off);
  }
}

function record(
  { guide, takeMoreTime, originMs, challengeCount, nextChallenge, signal }: CaptureRequest,
  worker: AnalysisWorker,
  frames: FrameSource,
  recorder: Recorder,
): Promise<Direction> {
  async function take(): Promise<Take | null> {
    signal.throwIfAborted();
    const frame = await frames.next(frameMsMax);
    if (frame === null) return null;
    const analysis = await worker.analyze(frame.bitmap);
    recorder.add(frame.atMs - originMs, analysis);
    return { atMs: frame.atMs, analysis };
  }
  const now = (): number => performance.now();
  return direct({ take, guide, takeMoreTime, recorder, nextChallenge, now, originMs }, challengeCount);
}

function finish(
  { challengeCount: total, useDeepfakeDetection }: CaptureRequest,
  parts: CapturedParts,
  recorder: Recorder,
  { passed, poses, frameIndices }: Direction,
  summary: Summary,
): CaptureOutcome {
  const packed = recorder.pack();
  if (packed === null) return { kind: 'unavailable', reason: 'no_face_capture', parts };
  const { atMs } = packed.frames;
  const durationMs = (atMs[atMs.length - 1] ?? 0) - (atMs[0] ?? 0);
  const deepfake = useDeepfakeDetection ? reportDeepfake(summary, poses, durationMs) : null;
  const embedding = toEmbedding(summary);
  const demographics = toDemographics(summary);
  const telemetry: CaptureTelemetry = {
    // The page’s own guess; without challenges it has none.
    livenessScore: total === 0 ? 0.5 : passed / total,
    challengesPassed: passed,
    challengesTotal: total,
    ...(deepfake === null ? {} : { deepfake }),
  };
  return {
    kind: 'captured',
    telemetry,
    parts: {
      ...parts,
      ...packed,
      ...(frameIndices.length === 0 ? {} : { evidenceFrames: recorder.pictures(frameIndices) }),
      features: toFeatures(summary, deepfake),
      ...(embedding === null ? {} : { embedding }),
      ...(demographics === null ? {} : { demographics }),
    },
  };
}
