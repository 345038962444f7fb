import t from 'tap';
import { withoutOthers } from '../../src/administration/respondent-records.js';

t.test('other respondents are named in no record, however deep', async (t) => {
  const other = { respondentId: 'peter', sessionId: 'of-peter' };
  const row = {
    result: {
      verdict: { duplicateMatch: other, priorParticipation: other, duplication: { overall: 1, matchedSessionId: 'p' } },
    },
    body: { data: [{ duplicate_match: other, prior_participation: null, status: 'fail' }] },
  };
  t.same(withoutOthers(row), {
    result: { verdict: { duplication: { overall: 1 } } },
    body: { data: [{ status: 'fail' }] },
  });
});
