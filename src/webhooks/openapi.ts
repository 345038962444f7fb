/** The deliveries as OpenAPI describes them: one webhook per event, with the headers that every attempt has. */
import type { TSchema } from 'typebox';
import { shapes } from '../contract/shapes.js';
import { webhookEvents } from '../contract/webhook-payload.js';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const headers = [
  header('X-Service-Event', 'Type of the event.'),
  header('X-Service-Signature', '`sha256=` and the hex HMAC-SHA256 of `{timestamp}.{body}` under the secret.'),
  header('X-Service-Timestamp', 'Unix seconds of the attempt. Accept a difference of 5 minutes.'),
  header('X-Service-Idempotency-Key', 'The session id, percent-encoded. Answer repeated deliveries with 2xx.'),
  header('X-Service-Attempt', 'Number of the attempt, from 1.'),
];

/** By reference: the document's generator rewrites the schemas of routes and components, and no others. */
function bodyOf(event: string, data: TSchema): object {
  const name = Object.keys(shapes).find((each) => shapes[each] === data);
  if (name === undefined) throw new Error(`the payload of ${event} has no name in src/contract/shapes.ts`);
  const properties = { event: { type: 'string', enum: [event] }, data: { $ref: `#/components/schemas/${name}` } };
  return { type: 'object', required: ['event', 'data'], properties };
}

/** `webhooks` of the API document, by event type. */
export function describeWebhooks(): object {
  return Object.fromEntries(
    Object.entries(webhookEvents).map(([event, { summary, data }]) => [
      event,
      {
        post: {
          operationId: event.replace(/\.(.)/, (_, first: string) => first.toUpperCase()),
          tags: ['Webhooks'],
          summary,
          description: `Sent with payloadVersion v2 to webhooks that are registered for ${event}.`,
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: bodyOf(event, data) } },
          },
          responses: {
            '2XX': { description: 'Delivered. Any other answer or none within 10 seconds fails the attempt.' },
            '4XX': { description: '400, 401, 403, 404, 410, 422 and 429 end the delivery.' },
          },
        },
      },
    ]),
  );
}
