/** The test page: a synthetic camera in place of the browser’s, and one capture with all that can be seen of it from outside. */
import { installCamera } from './installed-camera.js';
import { createSyntheticFace, readFace } from './synthetic-camera.js';

/** The page finds the built module here. */
const captureUrl = '/capture.js';

const stage = { face: null, state: { tracks: [] } };

const readPhoto = (crop = [0.08, 0.25, 0.24]) => readFace('/human.esm.js', '/human/', '/wasm/', '/photo.jpg', crop);

/** The photograph and its mesh, for a renderer outside of the page; its pixels as base64. */
window.meshPhoto = async () => {
  const { photo, mesh, triangles } = await readPhoto();
  let data = '';
  for (let from = 0; from < photo.data.length; from += 0x6000)
    data += btoa(String.fromCharCode(...photo.data.subarray(from, from + 0x6000)));
  return { mesh, triangles, width: photo.width, height: photo.height, data };
};

/** Puts a computed person before the camera. */
window.placeFace = async ({ crop, face = {}, camera = {} } = {}) => {
  const { photo, mesh, triangles } = await readPhoto(crop);
  stage.face = createSyntheticFace(photo, mesh, triangles, face);
  stage.state = installCamera(stage.face, camera);
};

/** Lets the person do something. */
window.perform = (type) => stage.face?.perform(type);

/** Frames of the person as base64 JPEG: for a file that the browser shows as a camera. */
window.recordFace = async (count, moveAt) => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [stage.face.width, stage.face.height];
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  const frames = [];
  for (let index = 0; index < count; index += 1) {
    if (moveAt[index] !== undefined) stage.face.perform(moveAt[index], 0);
    stage.face.draw(image, performance.now());
    context.putImageData(image, 0, 0);
    frames.push(canvas.toDataURL('image/jpeg', 0.9).split(',')[1]);
    await new Promise((resolve) => setTimeout(resolve, 66));
  }
  return frames;
};

/** Puts a clip of the person before the camera in their place, over and over: as many frames, with what they do at which. */
window.placeClip = (count, moveAt, stepMs = 66) => {
  const { face } = stage;
  const image = new ImageData(face.width, face.height);
  const startMs = performance.now();
  const frames = Array.from({ length: count }, (_, index) => {
    const atMs = startMs + index * stepMs;
    if (moveAt[index] !== undefined) face.perform(moveAt[index], 0, atMs);
    face.draw(image, atMs);
    return image.data.slice();
  });
  const draw = (shown, atMs) => shown.data.set(frames[Math.floor((atMs - startMs) / stepMs) % count]);
  stage.face = { ...face, draw, perform: () => undefined };
  stage.state = installCamera(stage.face);
};

/** Lets getUserMedia reject. */
window.failCamera = (name, message) => {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException(message, name));
};

/** Notes which tracks the page was given. */
window.watchCamera = () => {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const stream = await open(constraints);
    stage.state.tracks.push(...stream.getVideoTracks());
    return stream;
  };
};

window.readTracks = () => stage.state.tracks.map((track) => track.readyState);

/** Whoever sees that a movement was not noticed makes it again, after so long, ms. */
const repeatMs = 3_000;

/** Asks a service for its next challenge, over a network that takes up to `jitterMs` either way; a page may wait for an answer less long than it is let. */
function askService({ url, clientSecret, jitterMs = 0, patienceMs = Infinity }, calls) {
  const travel = () => new Promise((resolve) => setTimeout(resolve, jitterMs * Math.random()));
  return async (request) => {
    await travel();
    const headers = { 'content-type': 'application/json', 'x-client-secret': clientSecret };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
    if (!answer.ok) throw new Error(await answer.text());
    const reply = await answer.json();
    calls.push({ ...request, atMs: Date.now(), reply });
    await travel();
    return 'timeoutMs' in reply ? { ...reply, timeoutMs: Math.min(reply.timeoutMs, patienceMs) } : reply;
  };
}

/**
 * `answering`: whether the person does what is asked; `abortAt`: the kind of guidance at which the capture is aborted; `session`: where challenges are
 * asked for, in place of those given, of which with `pictures` every frame is shown; `startAfterMs`: how long those wait.
 */
window.runCapture = async ({
  challenges,
  models,
  session = null,
  answering = true,
  abortAt = null,
  deepfake = false,
  demographics = false,
  pictures = false,
  startAfterMs = 300,
}) => {
  const { camera } = await import(captureUrl);
  const aborter = new AbortController();
  const guided = [];
  const calls = [];
  let shown = -1;
  let performedMs = 0;
  let tracksAtDone = null;
  const video = document.querySelector('video');
  const originMs = performance.now();
  const result = await camera
    .prepare({ baseUrl: models, demographics, takesPictures: pictures })
    .capture({
      challengeCount: session?.count ?? challenges.length,
      nextChallenge:
        session === null
          ? async ({ index, frameCount }) => {
              const challenge = challenges[index];
              if (challenge) return { ...challenge, index, startAfterMs };
              return {
                done: true,
                frameIndices: Array.from({ length: pictures ? frameCount : 0 }, (_, frame) => frame),
              };
            }
          : askService(session, calls),
      originMs,
      video,
      signal: aborter.signal,
      useDeepfakeDetection: deepfake,
      takeMoreTime: () => false,
      guide(step) {
        const last = guided[guided.length - 1];
        if (last?.kind !== step.kind || last.type !== step.type)
          guided.push({ ...step, atMs: performance.now() - originMs });
        else if (step.bytes) last.bytes = step.bytes;
        if (step.kind === abortAt) aborter.abort(new DOMException('stopped', 'AbortError'));
        if (step.kind === 'done') tracksAtDone = window.readTracks();
        if (step.kind !== 'challenge') return;
        if (step.index === shown && (step.progress === 1 || performance.now() - performedMs < repeatMs)) return;
        shown = step.index;
        performedMs = performance.now();
        if (answering) stage.face?.perform(step.type);
      },
    })
    .then(
      (outcome) => ({ outcome }),
      (error) => ({ rejected: error.name }),
    );
  return {
    ...result,
    guided,
    calls,
    tracks: window.readTracks(),
    tracksAtDone,
    isShowing: video.srcObject !== null,
    totalMs: performance.now() - originMs,
  };
};
