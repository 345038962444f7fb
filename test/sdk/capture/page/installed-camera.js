/** A stream of a face as a webcam would give it, in place of getUserMedia’s. A page that goes by its frames says when each is drawn. */
export function installCamera(face, { framesPerSecond = 24, label = 'Integrated Webcam (0c45:6a09)' } = {}) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [face.width, face.height];
  const context = canvas.getContext('2d', { alpha: false });
  const image = context.createImageData(face.width, face.height);
  const state = { tracks: [] };
  const clock = window.frameClock ?? createTimer();
  const draw = (atMs) => {
    face.draw(image, atMs);
    context.putImageData(image, 0, 0);
  };
  navigator.mediaDevices.getUserMedia = async () => {
    clock.open(draw, framesPerSecond);
    const stream = window.frameClock ? canvas.captureStream() : canvas.captureStream(framesPerSecond);
    for (const track of stream.getVideoTracks()) {
      Object.defineProperty(track, 'label', { value: label });
      track.getSettings = () => ({
        width: face.width,
        height: face.height,
        frameRate: framesPerSecond,
        facingMode: 'user',
      });
      const stop = track.stop.bind(track);
      track.stop = () => {
        clock.close();
        stop();
      };
      state.tracks.push(track);
    }
    return stream;
  };
  return state;
}

/** Draws frames at the real pace. */
function createTimer() {
  let timer;
  return {
    open(draw, framesPerSecond) {
      const from = performance.now();
      draw(from);
      const next = () => this.open(draw, framesPerSecond);
      timer = setTimeout(next, Math.max(1, 1000 / framesPerSecond - (performance.now() - from)));
    },
    close: () => clearTimeout(timer),
  };
}
