/**
 * Recent receipts: the counts packed, with references to the probe and the candidates’ records in their own tables. A receipt is put together when it
 * is asked for, which is seldom.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import {
  listFigures,
  listNeighborhood,
  readFigures,
  readNeighborhood,
  readSource,
  type SourceList,
} from '../figures.js';
import type { CountRecord, RecentReceipt, StoredHistory } from '../port.js';
import { candidateOf, type Picked } from './candidates.js';
import { type Keyspace, packed, type Packed, shortName, unpacked } from './keyspace.js';
import type { Probes } from './probes.js';

interface KeptReceipt {
  readonly packed: Packed;
  readonly picked: readonly Picked[];
  /** The probe when the session was scored, at `atMs`. */
  readonly probe: Packed | null;
  readonly atMs: number;
}

export interface NewReceipt {
  readonly namespace: string;
  readonly nowMs: number;
  readonly content: Uint8Array;
  readonly counted: CountRecord;
  readonly picked: readonly Picked[];
  readonly probe: Packed | null;
}

type Figures = ReturnType<typeof listFigures>;
type Fields = readonly [
  ...call: [content: Uint8Array, supersedes: string | null, device: string | null],
  ...found: [signatureFresh: boolean, complete: boolean, history: StoredHistory],
  ...counts: [Figures, source: SourceList | false, terms: CountFacts['terms'], neighborhood: number[]],
];

export function createReceipts(keyspace: Keyspace, probes: Pick<Probes, 'open'>) {
  const table = keyspace.table<KeptReceipt>('receipts');
  const keyOf = (namespace: string, receiptId: string): string => shortName(namespace) + receiptId;
  return {
    keep({ namespace, nowMs, content, counted, picked, probe }: NewReceipt): void {
      const { counts, supersedes, device, signatureFresh, complete, history } = counted;
      const { source, terms, neighborhood } = counts;
      const call = [content, supersedes, device, signatureFresh, complete, history] as const;
      const ofSource = source === null ? false : ([source.hour, source.mean, source.variance, source.hours] as const);
      const fields: Fields = [...call, listFigures(counts), ofSource, terms, listNeighborhood(neighborhood)];
      const kept = { packed: packed(fields), picked, probe, atMs: nowMs };
      table.set(keyOf(namespace, counted.receiptId), kept, nowMs, bounds.receiptMs);
    },
    find(namespace: string, receiptId: string, nowMs: number): RecentReceipt | null {
      const kept = table.get(keyOf(namespace, receiptId), nowMs);
      if (kept === undefined) return null;
      const [content, supersedes, device, signatureFresh, complete, history, ...counts] = unpacked(
        kept.packed,
      ) as Fields;
      const [numbers, source, terms, neighborhood] = counts;
      const probe = kept.probe === null ? null : probes.open(kept.probe, kept.atMs);
      const call = { supersedes, device, signatureFresh, complete, history };
      return {
        receiptId,
        namespace,
        content,
        probe,
        counts: {
          terms,
          source: readSource(source),
          candidates: kept.picked.map(candidateOf),
          neighborhood: readNeighborhood(neighborhood),
          ...readFigures(numbers),
        },
        ...call,
      };
    },
    /** It is recorded elsewhere, and soon goes. */
    release: (namespace: string, receiptId: string, nowMs: number): void =>
      table.shorten(keyOf(namespace, receiptId), nowMs, bounds.recordedReceiptMs),
    forget: (namespace: string, receiptId: string): void => table.delete(keyOf(namespace, receiptId)),
  };
}
