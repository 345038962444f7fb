import type { Board } from './panel.js';
import { largest, of, quantileBy, quantiles, rate, rateBy, share } from './queries.js';

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
        title: 'Live verifications that pass',
        about: 'Of those completed.',
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
        title: 'Stages, 95 of 100 below',
        about: 'pictures are judged in a thread; compare searches faces; record waits for the database.',
        unit: 's',
        series: quantileBy(0.95, 'vh_verify_stage_seconds', 'stage'),
      },
      {
        title: 'Pictures judged a second, by result',
        about: 'refused: the queue was full, too late, or a thread died. More cores, or fewer projects with pictures.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_picture_judgements_total', 'result')} or vector(0)`, legend: '{{result}}' }],
      },
      {
        title: 'Signs of abuse a second',
        about: 'Proofs of work asked of addresses that make many sessions, and calls with a wrong client secret.',
        unit: 'reqps',
        series: [
          { query: `${rate('vh_session_proofs_total', 'result')} or vector(0)`, legend: 'proof {{result}}' },
          { query: rate('vh_wrong_client_secrets_total'), legend: 'wrong secret' },
        ],
      },
    ],
    'Tokens and faces': [
      {
        title: 'Tokens checked a second, by result',
        about: 'ALREADY_USED and EXPECTATION_FAILED mean that a caller received another respondent’s pass.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_token_verifications_total', 'result')} or vector(0)`, legend: '{{result}}' }],
      },
      {
        title: 'Faces compared a second, by result',
        about: 'not_compared: no face, or one that no model here can read.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_face_comparisons_total', 'result')} or vector(0)`, legend: '{{result}}' }],
      },
      {
        title: 'Search of faces',
        about: 'Waiting included.',
        unit: 's',
        series: quantiles('vh_face_search_seconds'),
      },
      {
        title: 'Faces in the index',
        about: 'By process. Processes with fewer are still being filled.',
        unit: 'short',
        series: largest('vh_face_index_templates', 'instance'),
      },
      {
        title: 'Age of the index',
        about: 'Time since it took over what others changed.',
        unit: 's',
        series: largest('vh_face_index_age_seconds', 'instance'),
      },
      {
        title: 'Memory of the index',
        about: 'By process.',
        unit: 'bytes',
        series: [{ query: `sum by (instance) (${of('vh_face_index_bytes')})`, legend: '{{instance}}' }],
      },
    ],
    Studies: [
      {
        title: 'Entries a second, by answer',
        about: 'passed went on to the verification or the survey; the others saw a page.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_study_entries_total', 'result')} or vector(0)`, legend: '{{result}}' }],
      },
      {
        title: 'Returns a second, by answer',
        about: 'Far fewer than entries: surveys do not send people back.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_study_returns_total', 'result')} or vector(0)`, legend: '{{result}}' }],
      },
      {
        title: 'Places released a second',
        about: 'Held for VH_PLACE_MINUTES and not returned.',
        unit: 'ops',
        series: [{ query: rate('vh_quota_reservations_released_total'), legend: 'released' }],
      },
    ],
  },
};
