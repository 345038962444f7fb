import type { Board } from './panel.js';
import { largest, of, rate, rateBy, share } from './queries.js';

export const webhooks: Board = {
  name: 'webhooks',
  title: 'webhooks',
  rows: {
    Deliveries: [
      {
        title: 'Attempts a second, by outcome',
        about: 'failed is repeated, exhausted waits for a replay by its owner.',
        unit: 'reqps',
        draw: 'area',
        series: rateBy('vh_webhook_attempts_total', 'outcome'),
      },
      {
        title: 'Attempts that succeed',
        about: 'Falls if a receiver of many events is unavailable.',
        unit: 'percentunit',
        draw: 'stat',
        series: [
          {
            query: share(
              rate('vh_webhook_attempts_total', '', 'outcome="succeeded"'),
              rate('vh_webhook_attempts_total'),
            ),
            legend: 'succeed',
          },
        ],
      },
      {
        title: 'Oldest delivery that is due',
        about: 'Growing: the senders do not keep up. Parked and disabled webhooks are left aside.',
        unit: 's',
        amber: 60,
        series: largest('vh_webhook_oldest_due_seconds'),
      },
      {
        title: 'Requests under way',
        about: 'At once, by process. High with few attempts a second: receivers answer slowly.',
        unit: 'short',
        series: [{ query: `sum by (instance) (${of('vh_webhook_in_flight')})`, legend: '{{instance}}' }],
      },
      {
        title: 'Parked webhooks',
        about: 'Their deliveries wait because they keep failing. Their owners see why in the list of deliveries.',
        unit: 'short',
        series: largest('vh_webhook_parked_endpoints'),
      },
      {
        title: 'Oldest event not yet handed on',
        about: 'Seconds in a sound installation. Growing: the event log or the database.',
        unit: 's',
        amber: 60,
        series: largest('vh_outbox_oldest_seconds'),
      },
    ],
    Events: [
      {
        title: 'Events handed on a second',
        about: 'swept: at a second try. Many of them: the event log was unavailable.',
        unit: 'reqps',
        series: rateBy('vh_outbox_events_total', 'event'),
      },
      {
        title: 'Flags raised a second',
        about: 'By type of the flag, as projects’ thresholds ask for them.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_monitoring_flags_total', 'type')} or vector(0)`, legend: '{{type}}' }],
      },
      {
        title: 'Messages not checked for flags',
        about: 'A store or the pool was away while they came.',
        unit: 'reqps',
        series: [{ query: rate('vh_monitoring_missed_total'), legend: 'missed' }],
      },
    ],
  },
};
