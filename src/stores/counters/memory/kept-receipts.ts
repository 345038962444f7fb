/**
 * Recent receipts: the counts packed, with references to the probe and the candidates’ records in their own tables. A receipt is put together when it
 * is asked for, which is seldom.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import type { CountRecord, RecentReceipt, StoredHistory } from '../port.js';
import { candidateOf, type Picked } from './candidates.js';
import { type Keyspace, packed, type Packed, shortName, unpacked } from './keyspace.js';
import type { Probes } from './probes.js';

interface KeptReceipt {
  readonly packed: Packed;
  readonly picked: readonly Picked[];
  /** As it was when the session was scored, at `atMs`. */
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

/** Which of the counts are numbers or null. */
const figures = [
  'deviceSessionsDay',
  'deviceRespondentsDay',
  'respondentDay',
  'respondentDevicesWeek',
  'addressDevicesHour',
  'addressRespondentsHour',
  'addressSessionsHour',
  'prefixSessionsHour',
  'prefixSessionsDay',
  'sharedAddressHour',
  'sharedAddressDay',
  'hostPeopleHour',
] as const satisfies readonly (keyof CountFacts)[];
const ofSource = ['hour', 'mean', 'variance', 'hours'] as const;
const ofNeighborhood = ['sessions', 'direct', 'linked', 'prefixSessions', 'prefixSquares', 'prefixes'] as const;

type Figure = number | null | undefined;
type Fields = readonly [
  ...call: [content: Uint8Array, supersedes: string | null, device: string | null],
  ...found: [signatureFresh: boolean, complete: boolean, history: StoredHistory],
  ...counts: [Figure[], source: Figure[] | null, terms: CountFacts['terms'], neighborhood: Figure[]],
];

const listed = <K extends string>(names: readonly K[], from: Readonly<Partial<Record<K, Figure>>>): Figure[] =>
  names.map((name) => from[name]);
const named = <T extends object>(names: readonly string[], values: readonly Figure[]): T =>
  Object.fromEntries(names.map((name, place) => [name, values[place]])) as T;

export function createReceipts(keyspace: Keyspace, probes: Pick<Probes, 'open'>) {
  const table = keyspace.table<KeptReceipt>('receipts');
  const keyOf = (namespace: string, receiptId: string): string => shortName(namespace) + receiptId;
  return {
    keep({ namespace, nowMs, content, counted, picked, probe }: NewReceipt): void {
      const { counts, supersedes, device, signatureFresh, complete, history } = counted;
      const { source, terms, neighborhood } = counts;
      const call = [content, supersedes, device, signatureFresh, complete, history] as const;
      const ofCounts = [listed(figures, counts), source && listed(ofSource, source), terms] as const;
      const fields: Fields = [...call, ...ofCounts, listed(ofNeighborhood, neighborhood)];
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
          source: source && named<NonNullable<CountFacts['source']>>(ofSource, source),
          candidates: kept.picked.map(candidateOf),
          neighborhood: named<CountFacts['neighborhood']>(ofNeighborhood, neighborhood),
          ...named<Pick<CountFacts, (typeof figures)[number]>>(figures, numbers),
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
