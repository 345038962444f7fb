/**
 * Frames of a stream, as the video shows them: at most so many a second, the next one not before the last was dealt with, and none
 * twice. Shows the stream in the stage’s element, or in one of its own that nobody sees.
 */
export interface FrameSource {
  /** The next frame and its time on the page’s clock, ms; null when the stream ended or `deadlineMs` passed without one. */
  next(deadlineMs: number): Promise<Frame | null>;
  /** Takes the stream off the element. */
  close(): void;
}

export interface Frame {
  readonly bitmap: ImageBitmap;
  readonly atMs: number;
}

/** Least time between two frames, ms: every one of a camera of 25 a second, every second one of a faster camera. */
const frameStepMs = 38;
/** A frame that waited longer was stamped by another clock, ms. */
const waitMsMax = 2_000;
/** Longer side of the frames handed on, pixels. */
const sideMax = 640;

/** Resolves when the first frame is there; rejects when the element refuses to play. */
export async function startFrames(stream: MediaStream, stage: HTMLVideoElement | null): Promise<FrameSource> {
  const video = stage ?? document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.srcObject = stream;
  await video.play();
  let lastMs = -Infinity;
  return {
    async next(deadlineMs) {
      const until = performance.now() + deadlineMs;
      for (;;) {
        const atMs = await nextPresented(video, until);
        if (atMs === null || stream.getVideoTracks()[0]?.readyState !== 'live') return null;
        if (atMs - lastMs < frameStepMs) continue;
        lastMs = atMs;
        return { bitmap: await grab(video), atMs };
      }
    },
    close() {
      video.pause();
      video.srcObject = null;
    },
  };
}

function grab(video: HTMLVideoElement): Promise<ImageBitmap> {
  const { videoWidth, videoHeight } = video;
  const scale = sideMax / Math.max(videoWidth, videoHeight, 1);
  if (scale >= 1) return createImageBitmap(video);
  return createImageBitmap(video, {
    resizeWidth: Math.round(videoWidth * scale),
    resizeHeight: Math.round(videoHeight * scale),
    resizeQuality: 'medium',
  });
}

/** A frame waits for a busy page: its time is that of the camera, where the browser reports a likely one. */
const takenAt = (nowMs: number, captureMs: number | undefined): number =>
  captureMs !== undefined && captureMs <= nowMs && nowMs - captureMs < waitMsMax ? captureMs : nowMs;

/** When the next frame was taken; null at `until`. Browsers without a callback for it are asked at each repaint whether time went on. */
function nextPresented(video: HTMLVideoElement, until: number): Promise<number | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), Math.max(0, until - performance.now()));
    const done = (atMs: number): void => {
      clearTimeout(timer);
      resolve(atMs);
    };
    if (typeof video.requestVideoFrameCallback === 'function') {
      video.requestVideoFrameCallback((now, { captureTime }) => done(takenAt(now, captureTime)));
      return;
    }
    const before = video.currentTime;
    const check = (now: number): void => {
      if (video.currentTime !== before) done(now);
      else if (now < until) requestAnimationFrame(check);
    };
    requestAnimationFrame(check);
  });
}
