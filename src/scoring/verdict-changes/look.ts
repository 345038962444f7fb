/**
 * Looks at one watched session again: its latest facts with the present history. If that changes its verdict, a receipt that supersedes the
 * known one, the event and the note of it are one transaction, so that each change is reported once. A session without its receipts is let go.
 */
import { makeId } from '../../crypto/ids.js';
import type { BatchSigner } from '../../crypto/batch-signer.js';
import type { SigningKey } from '../../crypto/master-key.js';
import type { ScoreFacts } from '../../contract/facts.js';
import type { RecordedVerdict } from '../../contract/pool.js';
import type { VerdictEvent } from '../../contract/session-event.js';
import {
  decodeCounters,
  openBase,
  openFacts,
  openReceipt,
  packBase,
  packOutcome,
  packSealed,
  appendCounted,
} from '../../record/record.js';
import { joinParts } from '../../record/codec.js';
import type { Receipt } from '../../record/types.js';
import { type Database, keysAreLookedUp, type Queryable } from '../../stores/database/port.js';
import type { Outbox } from '../../stores/outbox/outbox.js';
import { underReceipt } from '../gather.js';
import type { SessionName } from '../outcomes/session-subjects.js';
import { findReceipt, recordSuperseding, timeOfReceipt } from '../receipts/receipts.js';
import { readPresentHistory } from './present-history.js';
import { describeChange, findChange } from './verdict-change.js';
import { noteLook, takeDue, unwatch, type Watched } from './watched-verdicts.js';

export interface LookDeps {
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'write'>;
  /** Those that may have signed a receipt. */
  readonly receiptKeys: readonly SigningKey[];
  readonly signer: BatchSigner;
  /** The pure core. */
  readonly judge: (facts: ScoreFacts) => RecordedVerdict;
  readonly now: () => number;
}

/** Answers the event that was written; null where there is nothing to report. */
export function lookAgain(deps: LookDeps, session: SessionName): Promise<VerdictEvent | null> {
  const look = async (tx: Queryable): Promise<VerdictEvent | null> => {
    const watched = await takeDue(tx, session);
    if (watched === null) return null;
    const found = await readReceipts(tx, deps.receiptKeys, watched);
    if (found === null) {
      await unwatch(tx, session);
      return null;
    }
    const news = await findNews(tx, deps, found);
    const receiptId = news?.receipt.receiptId ?? watched.knownId;
    const entry = news?.entry ?? null;
    await noteLook(tx, session, { receiptId, writtenAt: entry === null ? null : timeOfReceipt(receiptId) });
    if (news === null) return null;
    // After the session's rows, as the recorder locks them.
    if (entry !== null) await recordSuperseding(tx, entry);
    const event = eventOf(found.known, news.receipt, deps.now());
    await deps.outbox.write(tx, [event]);
    return event;
  };
  return deps.database.transaction(look, { opening: keysAreLookedUp });
}

interface Found {
  readonly known: Receipt;
  /** That of the latest call; the known one where no call came since. */
  readonly called: Receipt;
}

/** null where one is gone, or its seal is broken. */
async function readReceipts(tx: Queryable, keys: readonly SigningKey[], watched: Watched): Promise<Found | null> {
  const { knownId, calledId } = watched;
  const known = await readAuthentic(tx, keys, knownId);
  const called = calledId > knownId ? await readAuthentic(tx, keys, calledId) : known;
  return known === null || called === null ? null : { known, called };
}

async function readAuthentic(tx: Queryable, keys: readonly SigningKey[], receiptId: string): Promise<Receipt | null> {
  const found = await findReceipt(tx, keys, receiptId);
  return found?.authentic === true ? found.receipt : null;
}

interface News {
  readonly receipt: Receipt;
  /** The entry to record; null where a call got the receipt. */
  readonly entry: Uint8Array | null;
}

/** The receipt to report. */
async function findNews(tx: Queryable, deps: LookDeps, { known, called }: Found): Promise<News | null> {
  const counted = decodeCounters(called.facts);
  // Without an answer of the counters there is nothing to put a history into.
  const history = counted === null ? null : await readPresentHistory(tx, called, deps.now());
  const facts = openFacts(called.facts);
  const receiptId = makeId('receipt');
  const base = underReceipt(openBase(called.facts), receiptId);
  const present = counted === null || history === null ? null : { ...counted, history, supersedes: known.receiptId };
  const packed = appendCounted(packBase(base), present);
  const before = deps.judge(facts);
  const now = present === null ? before : deps.judge(openFacts(packed));
  const changedBy = findChange({ known: known.verdict, called: called.verdict, before, now });
  if (changedBy !== 'history') return changedBy === null ? null : { receipt: called, entry: null };
  // Its rules stand in front of the record, too.
  const own = appendCounted(packBase({ ...base, modelVersion: now.modelVersion }), present);
  const record = joinParts(own, packOutcome(now, openFacts(own)));
  return { receipt: openReceipt(record), entry: packSealed(record, await deps.signer.seal(record)) };
}

function eventOf(known: Receipt, news: Receipt, nowMs: number): VerdictEvent {
  return {
    eventId: makeId('event'),
    organizationId: news.organizationId,
    projectId: news.projectId ?? '',
    sessionId: news.sessionId,
    isDemo: false,
    occurredAt: new Date(nowMs).toISOString(),
    type: 'verdict.changed',
    data: {
      receipt_id: news.receiptId,
      supersedes: known.receiptId,
      ...describeChange(known.verdict, news.verdict),
    },
  };
}
