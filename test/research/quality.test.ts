import t from 'tap';
import { benchQuality } from '../../research/quality.js';

t.setTimeout(180_000);

t.test('a small run of the bench reports every figure next to the oracle’s', async (t) => {
  const { table, ratios } = await benchQuality({ traffic: 40 });
  for (const name of ['plain', 'probed', 'plainShifted', 'probedShifted', 'plainSecond', 'probedSecond'])
    for (const figure of ['AucLag', 'Caught', 'CalibrationError'])
      t.type(ratios[name + figure], 'number', name + figure);
  t.match(table, /\| scores that duplication moves +(\| 0\.0% +){4}\|/);
  t.match(table, /A second generator:[^]*\| scores that duplication moves +(\| 0\.0% +){2}\|/);
  for (const kind of ['hosting_farm', 'emulator_farm', 'screen_reader', 'profile_farm', 'virtual_desktop'])
    t.match(table, kind);
});
