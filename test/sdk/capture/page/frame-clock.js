/**
 * This page's clock goes by its camera: while one is open it stands, and each frame that the page asks for moves it by one frame's time. A
 * machine of any speed, however busy, then looks at every frame of the camera. Timers keep the real pace.
 */

/** A frame that the browser did not present by then is drawn again, ms. */
const presentMs = 1_000;

/** `behindMs` is how far the page begins behind the real time; `report` takes what its clock says, and whether it stands. */
window.startFrameClock = (behindMs, report) => {
  const readNow = performance.now.bind(performance);
  const readDate = Date.now;
  const readStamp = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp').get;
  const animate = window.requestAnimationFrame.bind(window);
  const present = HTMLVideoElement.prototype.requestVideoFrameCallback;
  let lostMs = 0;
  let standsAtMs = null;
  let camera = null;
  let reported = Promise.resolve();

  /** One after the other, so that the last one stays. */
  const tell = () => (reported = reported.then(() => report(Date.now(), standsAtMs !== null)));
  const lost = () => (standsAtMs === null ? lostMs : readNow() - standsAtMs);
  performance.now = () => readNow() - lost();
  Date.now = () => Math.floor(readDate() - behindMs - lost());
  Object.defineProperty(Event.prototype, 'timeStamp', {
    get() {
      return readStamp.call(this) - lost();
    },
  });
  window.requestAnimationFrame = (work) => animate((atMs) => work(atMs - lost()));

  /** Answers once the next frame is on the element. */
  const showNext = async (video, work) => {
    standsAtMs += 1_000 / camera.framesPerSecond;
    await tell();
    let redraw;
    let drawnMs = 0;
    const draw = () => {
      clearTimeout(redraw);
      if (camera === null) return;
      drawnMs = readNow();
      camera.draw(standsAtMs);
      redraw = setTimeout(draw, presentMs);
    };
    const presented = (_, frame) => {
      // One that was on its way before.
      if (frame.captureTime < drawnMs) return void present.call(video, presented);
      clearTimeout(redraw);
      const atMs = performance.now();
      work(atMs, { ...frame, captureTime: atMs });
    };
    draw();
    present.call(video, presented);
  };
  HTMLVideoElement.prototype.requestVideoFrameCallback = function (work) {
    if (camera === null) present.call(this, work);
    else void showNext(this, work);
  };

  window.frameClock = {
    /** `draw` shows the camera's moment, in the page's ms. */
    open(draw, framesPerSecond) {
      standsAtMs ??= performance.now();
      camera = { draw, framesPerSecond };
      draw(standsAtMs);
      void tell();
    },
    close() {
      if (camera === null) return;
      camera = null;
      lostMs = readNow() - standsAtMs;
      standsAtMs = null;
      void tell();
    },
  };
};
