import t from 'tap';
import { createModelLoader } from '../../../sdk/widget/models.js';
import type { Camera } from '../../../sdk/widget/ports.js';

/** A page as far as the loader looks at it, and a camera part that notes what is asked of it. */
function openPage({ isLoaded = true, savesData = false, fails = 0 } = {}) {
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const camera: Camera = {
    prepare: () => {
      log.push('prepare');
      return { capture: () => Promise.reject(new Error('no camera here')), close: () => log.push('close') };
    },
  };
  const loadCamera = () => (fails-- > 0 ? Promise.reject(new Error('offline')) : Promise.resolve(camera));
  const afterLoad = (work: () => void) => {
    if (isLoaded) work();
    else waiting.add(work);
    return () => void waiting.delete(work);
  };
  const request = { baseUrl: 'https://models.test/', demographics: false, takesPictures: false };
  const load = () => waiting.forEach((work) => work());
  return { load, log, models: createModelLoader(loadCamera, () => request, { savesData, afterLoad }) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test('models load while consent is read, once, and stop when it is declined', async (t) => {
  const { log, models } = openPage();
  models.begin();
  models.begin();
  await settle();
  t.strictSame(log, ['prepare']);
  models.drop();
  await settle();
  t.strictSame(log, ['prepare', 'close']);
});

t.test('a capture takes what was begun, and dropping leaves it alone', async (t) => {
  const { log, models } = openPage();
  models.begin();
  await models.take();
  models.drop();
  await settle();
  t.strictSame(log, ['prepare']);
  await models.take();
  t.strictSame(log, ['prepare', 'prepare'], 'the next capture has models of its own');
});

t.test('nothing loads before the page has', async (t) => {
  const { load, log, models } = openPage({ isLoaded: false });
  models.begin();
  await settle();
  t.strictSame(log, []);
  load();
  await settle();
  t.strictSame(log, ['prepare']);
});

t.test('whoever declines before the page has loaded pays nothing', async (t) => {
  const { load, log, models } = openPage({ isLoaded: false });
  models.begin();
  models.drop();
  load();
  await settle();
  t.strictSame(log, []);
});

t.test('a browser that saves data loads after consent only', async (t) => {
  const { log, models } = openPage({ savesData: true });
  models.begin();
  await settle();
  t.strictSame(log, []);
  await models.take();
  t.strictSame(log, ['prepare']);
});

t.test('a load that failed while consent was read is tried again', async (t) => {
  const { log, models } = openPage({ fails: 1 });
  models.begin();
  await settle();
  await models.take();
  t.strictSame(log, ['prepare']);
});
