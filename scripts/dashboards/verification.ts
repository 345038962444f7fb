import type { Board } from './panel.js';
import { largest, of, quantileBy, quantiles, rate, rateBy, rateByOrNone, share } from './queries.js';

export const verification: Board = {
  name: 'verification',
  title: 'verification and studies',
  rows: {
    Sessions: [
      {
        title: 'Verifications a second, by status',
        about: 'A jump of fail: look at failure reasons in the analytics of the project.',
        unit: 'reqps',
        draw: 'area',
        series: rateBy('vh_verifications_total', 'status, mode'),
      },
      {
        title: 'Created and completed a second',
        about: 'If far apart, people give up before the verdict, or a page creates unused sessions.',
        unit: 'reqps',
        series: [
          { query: rate('vh_sessions_created_total'), legend: 'created' },
          { query: rate('vh_verifications_total'), legend: 'completed' },
        ],
      },
      {
        title: 'Pass rate of live verifications',
        about:
          'Share of completed live verifications. It is empty without any. A sudden fall: compare the failure reasons of the projects.',
        unit: 'percentunit',
        draw: 'stat',
        series: [
          {
            query: share(
              rate('vh_verifications_total', '', 'mode="live", status="pass"'),
              rate('vh_verifications_total', '', 'mode="live"'),
            ),
            legend: 'pass',
          },
        ],
      },
      {
        title: 'Stages of a verification, p95',
        about: 'pictures waits for a thread, compare searches faces, record waits for PostgreSQL.',
        unit: 's',
        series: quantileBy(0.95, 'vh_verify_stage_seconds', 'stage'),
      },
      {
        title: 'Pictures checked a second, by result',
        about: 'refused: the queue was full, too late, or a thread died. More cores, or fewer projects with pictures.',
        unit: 'reqps',
        series: rateByOrNone('vh_picture_judgements_total', 'result'),
      },
      {
        title: 'Signs of abuse a second',
        about: 'Proofs of work asked of addresses that make many sessions, and calls with a wrong client secret.',
        unit: 'reqps',
        series: [
          ...rateByOrNone('vh_session_proofs_total', 'result', 'proof '),
          { query: rate('vh_wrong_client_secrets_total'), legend: 'wrong secret' },
        ],
      },
    ],
    'Tokens and faces': [
      {
        title: 'Tokens checked a second, by result',
        about: 'ALREADY_USED and EXPECTATION_FAILED mean that a caller received another respondent’s pass.',
        unit: 'reqps',
        series: rateByOrNone('vh_token_verifications_total', 'result'),
      },
      {
        title: 'Faces compared a second, by result',
        about:
          'not_compared: no face, or one that no model here can read. All of them: no face models are installed, so repeats are found by device and id alone.',
        unit: 'reqps',
        series: rateByOrNone('vh_face_comparisons_total', 'result'),
      },
      {
        title: 'Face search',
        about: 'Duration with the wait. It is empty without face models. Slow: raise VH_FACE_THREADS.',
        unit: 's',
        series: quantiles('vh_face_search_seconds'),
      },
      {
        title: 'Faces in the index',
        about: 'By process; 0 without face models. A process with fewer than the others is still being filled.',
        unit: 'short',
        series: largest('vh_face_index_templates', 'instance'),
      },
      {
        title: 'Age of the face index',
        about: 'Time since it last read changes. Growing: the database does not answer.',
        unit: 's',
        series: largest('vh_face_index_age_seconds', 'instance'),
      },
      {
        title: 'Memory of the face index',
        about: 'By process. It is part of the memory of the process.',
        unit: 'bytes',
        series: [{ query: `sum by (instance) (${of('vh_face_index_bytes')})`, legend: '{{instance}}' }],
      },
    ],
    Studies: [
      {
        title: 'Entries a second, by answer',
        about:
          'passed went on to the verification or the survey; the others saw a page. A jump of refusals: the study in the console says why.',
        unit: 'reqps',
        series: rateByOrNone('vh_study_entries_total', 'result'),
      },
      {
        title: 'Returns a second, by answer',
        about: 'Far fewer than entries: surveys do not send people back.',
        unit: 'reqps',
        series: rateByOrNone('vh_study_returns_total', 'result'),
      },
      {
        title: 'Quota reservations released a second',
        about: 'Respondents who did not return within VH_PLACE_MINUTES. Many: surveys do not send people back.',
        unit: 'ops',
        series: [{ query: rate('vh_quota_reservations_released_total'), legend: 'released' }],
      },
    ],
  },
};
