import t from 'tap';
import fc from 'fast-check';
import type { DeviceSketch } from '../../../src/contract/facts.js';
import { bandsOf, components, sketchDevice } from '../../../workers/duplicates/sketch.js';
import { anyBody } from '../../helpers/any-facts.js';
import { chromeOnWindows, humanBody, safariOnPhone } from '../../helpers/facts.js';

t.test('a sketch has one short term per component in their order, null where unknown', (t) => {
  const sketch = sketchDevice(humanBody(), null);
  t.equal(sketch.terms.length, components.length);
  t.ok(sketch.terms.every((term) => term === null || /^[0-9a-f]{8}$/.test(term)));
  t.equal(sketch.terms[components.findIndex(({ name }) => name === 'model')], null, 'an empty model is no model');
  t.match(sketch, { osFamily: 'windows', browser: 'chrome', browserMajor: 149 });
  t.ok(
    sketchDevice({ ...humanBody(), gfx: { canvas: 'x', stable: false } }, null).terms[
      components.findIndex(({ name }) => name === 'canvas')
    ] === null,
    'noise is no term',
  );
  t.end();
});

t.test('the page’s user agent comes first, the request’s stands in', (t) => {
  t.equal(sketchDevice(humanBody(), safariOnPhone).osFamily, 'windows');
  t.equal(sketchDevice(humanBody({ ua: {} }), chromeOnWindows).osFamily, 'windows');
  t.equal(sketchDevice(humanBody({ ua: {} }), null).osFamily, null);
  t.end();
});

t.test('turning the device changes nothing', (t) => {
  t.same(
    sketchDevice(humanBody({ scr: { w: 390, h: 844 } }), null),
    sketchDevice(humanBody({ scr: { w: 844, h: 390 } }), null),
  );
  t.end();
});

t.test('the same probe gives the same sketch and bands, at most 20, none for next to nothing', (t) => {
  fc.assert(
    fc.property(anyBody, (body) => {
      const sketch = sketchDevice(body, null);
      const bands = bandsOf(sketch);
      const known = sketch.terms.filter((term) => term !== null).length;
      return (
        JSON.stringify(sketchDevice(structuredClone(body), null)) === JSON.stringify(sketch) &&
        bands.length === (known < 5 ? 0 : 20) &&
        new Set(bands).size === bands.length
      );
    }),
  );
  t.end();
});

t.test('sketches that share most terms meet under a band, strangers hardly ever do', (t) => {
  const base: DeviceSketch = {
    terms: Array.from({ length: 16 }, (_, index) => `${10_000_000 + index}`),
    osFamily: null,
    browser: null,
    browserMajor: null,
  };
  const changed = (count: number, salt: number) => ({
    ...base,
    terms: base.terms.map((term, index) => (index < count ? `${20_000_000 + index * 1_000 + salt}` : term)),
  });
  const meetings = (count: number) => {
    const bands = new Set(bandsOf(base));
    let met = 0;
    for (let salt = 0; salt < 400; salt += 1)
      met += Number(bandsOf(changed(count, salt)).some((band) => bands.has(band)));
    return met / 400;
  };
  t.ok(meetings(3) > 0.99, 'three of sixteen changed');
  t.ok(meetings(5) > 0.85, 'five changed: half of all terms in common');
  t.ok(meetings(14) < 0.1, 'two in common');
  t.equal(meetings(16), 0);
  t.end();
});

t.test('components keep the order in which sketches were stored', (t) => {
  t.same(
    components.map(({ name }) => name),
    [
      'platform',
      'systemVersion',
      'model',
      'architecture',
      'cores',
      'memory',
      'touch',
      'screen',
      'depth',
      'pixelRatio',
      'renderer',
      'canvas',
      'audio',
      'fonts',
      'zone',
      'languages',
    ],
  );
  t.ok(
    components.every(({ same, usual }) => same > usual && same < 1 && usual > 0),
    'agreement speaks for one device, disagreement against',
  );
  t.end();
});
