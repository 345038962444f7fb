/** A session that a backend made and a page continues. */
import t from 'tap';
import type { GivenSession } from '../../../sdk/widget/api.js';
import { readOptions } from '../../../sdk/widget/settings.js';

const session: GivenSession = {
  sessionId: 'sess_1',
  clientSecret: 'secret-1',
  expiresAt: 4_102_444_800,
  challengeConfig: { nonce: 'nonce', sequential: true, count: 2, challenges: [] },
  studyConfig: { widgetMode: 'captcha' },
};
const siteKey = 'proj_0';

t.test('the session says how the widget is run', (t) => {
  t.match(readOptions({ siteKey, session, widgetMode: 'standard' }), { session, widgetMode: 'captcha' });
  t.end();
});

t.test('what is no session of the service is refused by name', (t) => {
  for (const wrong of ['sess_1', {}, { ...session, clientSecret: undefined }, { ...session, studyConfig: null }])
    t.throws(() => readOptions({ siteKey, session: wrong as never }), { message: /session must be the answer of/ });
  t.end();
});
