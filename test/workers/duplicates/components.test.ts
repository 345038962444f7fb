import t from 'tap';
import { components } from '../../../workers/duplicates/components.js';

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
