import t from 'tap';
import { readVisit } from '../../../workers/scoring/visit.js';
import { chromeOnWindows, cleanFacts, humanFacts, safariOnPhone } from '../../helpers/facts.js';

t.test('the user agent nearest to the browser is believed first', (t) => {
  t.equal(readVisit(cleanFacts()).agent?.text, chromeOnWindows);
  t.equal(readVisit(humanFacts({ userAgent: safariOnPhone })).agent?.os, 'windows');
  t.equal(readVisit(cleanFacts({ userAgent: null })).agent, null);
  t.end();
});

t.test('only a probe that tells of the device has measured', (t) => {
  t.equal(readVisit(cleanFacts()).deviceMeasured, false);
  t.equal(readVisit(humanFacts()).deviceMeasured, true);
  t.equal(readVisit(humanFacts({}, { ua: {}, auto: {} })).deviceMeasured, false);
  t.equal(readVisit(humanFacts({}, { ua: { ua: null }, auto: { webdriver: false } })).deviceMeasured, false);
  t.equal(
    readVisit(humanFacts({}, { gfx: {}, env: {} })).deviceMeasured,
    true,
    'a browser that hides its graphics and fonts',
  );
  t.equal(readVisit(humanFacts({}, { gfx: {}, env: {}, loc: { zone: 'UTC' } })).deviceMeasured, false);
  t.equal(readVisit(humanFacts({}, { lies: undefined as never })).deviceMeasured, false);
  t.end();
});
