import t from 'tap';
import { automatedVisits, phoneFacts, touchBehavior } from './visits.js';

t.test('static set-ups have no behaviour, and the phone is touched', (t) => {
  for (const [name, facts] of Object.entries(automatedVisits))
    t.equal(Object.keys(facts.probe?.body.beh ?? {}).length === 0, name.endsWith('static'), name);
  t.equal(phoneFacts().probe?.body.beh, touchBehavior);
  t.end();
});
