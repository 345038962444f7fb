/** From here on this page's clocks and timers take `times` as long for a second, as if they had since `startMs`; those of its workers do not. */
window.slowDown = (times, startMs) => {
  const readNow = performance.now.bind(performance);
  performance.now = () => readNow() / times;
  const readDate = Date.now;
  Date.now = () => startMs + Math.floor((readDate() - startMs) / times);
  const readStamp = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp').get;
  Object.defineProperty(Event.prototype, 'timeStamp', {
    get() {
      return readStamp.call(this) / times;
    },
  });
  for (const name of ['setTimeout', 'setInterval']) {
    const start = window[name].bind(window);
    window[name] = (work, ms = 0, ...rest) => start(work, ms * times, ...rest);
  }
  const animate = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (work) => animate((atMs) => work(atMs / times));
  const present = HTMLVideoElement.prototype.requestVideoFrameCallback;
  HTMLVideoElement.prototype.requestVideoFrameCallback = function (work) {
    return present.call(this, (atMs, frame) =>
      work(atMs / times, { ...frame, captureTime: frame.captureTime && frame.captureTime / times }),
    );
  };
};
