import t from 'tap';
import { modelVersion } from '../../../workers/scoring/model-version.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts } from '../../helpers/facts.js';

t.test('the rule set has one name, and every outcome carries it', (t) => {
  t.match(modelVersion, /^[0-9a-f]{16}$/);
  t.equal(scoreFacts(cleanFacts()).modelVersion, modelVersion);
  t.end();
});
