import type { Board } from './panel.js';
import { largest, of, rate, rateBy, rateByOrNone, share } from './queries.js';

export const webhooks: Board = {
  name: 'webhooks',
  title: 'webhooks',
  rows: {
    Deliveries: [
      {
        title: 'Attempts a second, by outcome',
        about:
          'failed is repeated, exhausted waits for a replay by its owner. Many of both: see the parked webhooks for the receivers.',
        unit: 'reqps',
        draw: 'area',
        series: rateBy('vh_webhook_attempts_total', 'outcome'),
      },
      {
        title: 'Success rate of attempts',
        about:
          'It falls if the receiver of many events fails, and is empty without attempts. A parked webhook makes few attempts, so check that panel too.',
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
        about:
          'Growing: the senders do not keep up. Add a consumers process. Without parked and disabled webhooks. Empty: no process has the role consumers.',
        unit: 's',
        amber: 60,
        red: 300,
        series: largest('vh_webhook_oldest_due_seconds'),
      },
      {
        title: 'Webhook requests in flight',
        about: 'By process. High with few attempts a second: receivers answer slowly.',
        unit: 'short',
        series: [{ query: `sum by (instance) (${of('vh_webhook_in_flight')})`, legend: '{{instance}}' }],
      },
      {
        title: 'Parked webhooks',
        about:
          'Their deliveries wait because they keep failing. docs/how-to/monitor.md says how to find their owners. Empty: no process has the role consumers.',
        unit: 'short',
        amber: 1,
        series: [{ query: `max (${of('vh_webhook_parked_endpoints')})`, legend: 'parked' }],
      },
      {
        title: 'Oldest unpublished event',
        about:
          'Seconds in a healthy installation. Growing: repair the event log or the database. Empty: no process has the role consumers.',
        unit: 's',
        amber: 60,
        red: 300,
        series: largest('vh_outbox_oldest_seconds'),
      },
    ],
    Events: [
      {
        title: 'Events published a second',
        about: 'Written to the event log. swept: at a second try. Many of them: the event log was unavailable.',
        unit: 'reqps',
        series: rateBy('vh_outbox_events_total', 'event'),
      },
      {
        title: 'Flags raised a second',
        about: 'By type of the flag. A jump: bots in a study, or a project that set a stricter threshold.',
        unit: 'reqps',
        series: rateByOrNone('vh_monitoring_flags_total', 'type'),
      },
      {
        title: 'Messages not checked for flags',
        about:
          'A store or the pool did not answer when they arrived. Their flags are missing. See unavailable stores and refused scores.',
        unit: 'reqps',
        series: [{ query: rate('vh_monitoring_missed_total'), legend: 'missed' }],
      },
    ],
  },
};
