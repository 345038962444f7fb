/** Commands that compare sources, try thresholds, and look at studies and webhook deliveries. */
import type { Static } from 'typebox';
import type { KeyIntrospection } from '../../contract/api-key.js';
import type { Estimate, SourceReport, SourcesReply } from '../../contract/reports.js';
import type { SimulationReply } from '../../contract/thresholds.js';
import type { StudyPage } from '../../contract/study-replies.js';
import type { DeliveryPage, WebhookPage } from '../../contract/webhook.js';
import {
  numberOf,
  readPages,
  table,
  text,
  UsageError,
  type Given,
  type Remote,
  type RemoteCommand,
} from './command.js';

export const simulate: RemoteCommand = {
  does: 'shows the effect that other thresholds would have had',
  usage: 'simulate --review NUMBER --block NUMBER [--source ID] [--from TIME] [--to TIME]',
  options: {
    ...{ review: { type: 'string' }, block: { type: 'string' } },
    ...{ source: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' } },
  },
  async run({ values, remote }) {
    const [reviewLow, blockThreshold] = [numberOf('review', values['review']), numberOf('block', values['block'])];
    if (reviewLow === undefined || blockThreshold === undefined)
      throw new UsageError(
        `--${reviewLow === undefined ? 'review' : 'block'} is missing. Set both thresholds, for example --review 40 --block 75.`,
      );
    const reply = (await remote().call(
      '/lite/simulate',
      {},
      {
        reviewLow,
        blockThreshold,
        sourceId: text(values['source']),
        from: text(values['from']),
        to: text(values['to']),
      },
    )) as SimulationReply;
    const { current, hypothetical, labelled, sessions, flipped, note } = reply;
    const rows = (['allow', 'review', 'block', 'step_up'] as const).map((name) => [
      name,
      current[name],
      hypothetical[name],
    ]);
    const effect = `${sessions} sessions, ${flipped} of them would change. Blocked: ${labelled.fraudCaught} of ${labelled.fraud} fraudulent, ${labelled.honestBlocked} of ${labelled.honest} honest.`;
    return {
      data: reply,
      text: [table(['', 'now', 'then'], rows), effect, ...(note === null ? [] : [note])].join('\n'),
    };
  },
};

export const sources: RemoteCommand = {
  does: 'compares sources, the most certain fraud first',
  usage: 'sources [--from TIME] [--to TIME]',
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run({ values, remote }) {
    const period = { from: text(values['from']), to: text(values['to']) };
    const { sources: found } = (await remote().call('/lite/sources', period)) as SourcesReply;
    const head = ['source', 'sessions', 'reviewed', 'blocked', 'fraud, 95% interval', 'of labels', 'drift in points'];
    return { data: found, text: found.length === 0 ? 'There is no source.' : table(head, found.map(sourceRow)) };
  },
};

function sourceRow({ sourceId, sessions, review, block, labels, fraudShare, drift }: SourceReport) {
  const labelled = labels.fraud + labels.complete;
  return [
    ...[sourceId, sessions, percentOf(review / sessions), percentOf(block / sessions)],
    ...(labelled === 0
      ? [null, null]
      : [fraudShare && rangeOf(fraudShare, percentOf), `${labels.fraud} of ${labelled}`]),
    drift && rangeOf(drift, (points) => points.toFixed(1)),
  ];
}

const percentOf = (share: number): string => `${Math.round(1_000 * share) / 10}%`;

const rangeOf = ({ value, low, high }: Estimate, write: (value: number) => string): string =>
  `${write(value)} (${write(low)} to ${write(high)})`;

export const studies: RemoteCommand = {
  does: 'lists studies with their progress',
  usage: 'studies',
  options: {},
  async run({ remote }) {
    const service = remote();
    const found = await readPages(
      (query) => service.callStudies('/studies', query),
      (page: Static<typeof StudyPage>) => page.studies,
    );
    const rows = found.map(({ studyId, status, name, audience, progress }) => [
      ...[
        status,
        progress.entered,
        progress.screened_out,
        progress.completed,
        audience.sample_size,
        progress.places_left,
      ],
      ...[studyId, name],
    ]);
    const head = ['status', 'entered', 'screened out', 'completed', 'of', 'places left', 'study', 'name'];
    return { data: found, text: found.length === 0 ? 'There is no study.' : table(head, rows) };
  },
};

export const deliveries: RemoteCommand = {
  does: 'lists webhook deliveries, or sends one again',
  usage: `deliveries [--state NAME] [--event NAME] [--session ID]
       verifyhuman deliveries replay WEBHOOK DELIVERY`,
  options: { state: { type: 'string' }, event: { type: 'string' }, session: { type: 'string' } },
  run: (given) => (given.positionals[0] === 'replay' ? replay(given) : list(given)),
};

/** The path of the webhooks of the key’s project. */
async function webhooksOf(service: Remote): Promise<string> {
  const { projectId } = (await service.call('/api-keys/current')) as KeyIntrospection;
  if (projectId === null) throw new UsageError('The key belongs to no project. Use one of a project.');
  return `/projects/${projectId}/webhooks`;
}

async function list({ values, positionals, remote }: Given) {
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is nothing that deliveries can do.`);
  const service = remote();
  const path = await webhooksOf(service);
  const webhooks = await readPages(
    (page) => service.call(path, page),
    ({ webhooks: some }: Static<typeof WebhookPage>) => some,
  );
  const filter = { state: text(values['state']), event: text(values['event']), sessionId: text(values['session']) };
  const pages = await Promise.all(
    webhooks.map(async ({ webhookId }) => {
      const all = await readPages(
        (page) => service.call(`${path}/${webhookId}/deliveries`, { ...filter, ...page }),
        ({ deliveries: some }: DeliveryPage) => some,
      );
      return all.map((delivery) => ({ webhookId, ...delivery }));
    }),
  );
  const found = pages.flat().sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  const rows = found.map(({ webhookId, deliveryId, event, state, createdAt, attempts }) => [
    ...[createdAt, state, event, attempts.length, attempts.at(-1)?.statusCode ?? attempts.at(-1)?.error ?? null],
    ...[webhookId, deliveryId],
  ]);
  const head = ['created', 'state', 'event', 'attempts', 'last reply', 'webhook', 'delivery'];
  return { data: found, text: found.length === 0 ? 'There is no delivery.' : table(head, rows) };
}

async function replay({ positionals, remote }: Given) {
  const [, webhookId, deliveryId, ...others] = positionals;
  if (webhookId === undefined || deliveryId === undefined || others.length > 0)
    throw new UsageError('Name a webhook and one of its deliveries.');
  const service = remote();
  const path = `${await webhooksOf(service)}/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/replay`;
  const reply = await service.call(path, {}, {});
  return { data: reply, text: `${deliveryId} is sent again.` };
}
