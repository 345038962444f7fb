/** Erases what other capabilities keep of the places of a respondent: links, deliveries and the marks of their sessions. */
import { removeLinks } from '../administration/hosted-links.js';
import { createPayloadErasure, type RespondentErasureDeps } from '../audience/respondent-erasure.js';
import { erasePayloads, markErasedSessions } from '../webhooks/payload-erasure.js';
import { postbackDeliveries } from '../webhooks/postbacks.js';

/** Webhook payloads and postbacks. */
export const eraseDeliveries = createPayloadErasure(postbackDeliveries, erasePayloads);

/** In the transaction that erases the places; resolves to the number of payloads. */
export const eraseElsewhere: RespondentErasureDeps['eraseElsewhere'] = async (tx, respondent, places) => {
  const ids = places.map(({ id }) => id);
  await removeLinks(
    tx,
    places.flatMap(({ linkId }) => linkId ?? []),
  );
  await markErasedSessions(tx, respondent, ids);
  return eraseDeliveries(tx, respondent.projectId, ids);
};
