import t from 'tap';
import { calibrationDefaults, fillCalibration, resolveCalibration } from '../../src/contract/calibration.js';

t.test('knobs fall back from the source to the project to the defaults, one by one', (t) => {
  const liteConfig = { reviewLow: 30, blockThreshold: 80, perSource: { s: { reviewLow: 20 } } };
  t.same(resolveCalibration(undefined, 's'), calibrationDefaults);
  t.match(resolveCalibration(liteConfig, undefined), { reviewLow: 30, blockThreshold: 80 });
  t.match(resolveCalibration(liteConfig, 's'), { reviewLow: 20, blockThreshold: 80, noProbeRiskScore: 0 });
  t.match(resolveCalibration(liteConfig, 'constructor'), { reviewLow: 30 });
  t.end();
});

t.test('perSource.geoRiskWeights is merged with the project’s, country by country', (t) => {
  const liteConfig = {
    geoRiskWeights: { DE: 2, FR: 0.5 },
    perSource: { s: { geoRiskWeights: { FR: 1.5, US: 2 } }, t: {} },
  };
  t.same(resolveCalibration(liteConfig, 's').geoRiskWeights, { DE: 2, FR: 1.5, US: 2 });
  t.same(resolveCalibration(liteConfig, 't').geoRiskWeights, { DE: 2, FR: 0.5 });
  t.same(resolveCalibration({}, 't').geoRiskWeights, {});
  t.end();
});

t.test('what is shown of a project is every knob in force, per source too', (t) => {
  t.same(fillCalibration({}), { ...calibrationDefaults, perSource: {} });
  const shown = fillCalibration({ reviewLow: 30, geoRiskWeights: { DE: 2 }, perSource: { s: { blockThreshold: 70 } } });
  t.same(shown, {
    ...calibrationDefaults,
    reviewLow: 30,
    geoRiskWeights: { DE: 2 },
    perSource: { s: { ...calibrationDefaults, reviewLow: 30, geoRiskWeights: { DE: 2 }, blockThreshold: 70 } },
  });
  t.end();
});
