/**
 * A recorded receipt: what names its probe, its content, its numbers and the records of its candidates, each behind its length. The probe’s messages stay
 * where they lie, with the project.
 */
import { Packr } from 'msgpackr';
import type { CountFacts, DuplicateCandidate } from '../../../contract/facts.js';
import { sortCandidates } from '../bounds.js';
import {
  listFigures,
  listNeighborhood,
  readFigures,
  readNeighborhood,
  readSource,
  type SourceList,
} from '../figures.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import type { CountRecord, RecentReceipt, StoredHistory } from '../port.js';
import { bufferOf, bytesOf, joinParts, splitParts, unpackRef, type Bytes } from './bytes.js';
import { keysOf, probeKeyOf } from './keys.js';
import { readProbe, storedProbe, type ProbeNames } from './probes.js';
import { candidateOf, readRecord } from './records.js';
import { versionBytes, type Ended, type Step } from './step.js';

const packr = new Packr({ useRecords: false });

export interface Picked {
  readonly session: Bytes;
  readonly via: DuplicateCandidate['via'];
  readonly record: Bytes;
}

/** Latest first. */
export function candidatesOf(picked: readonly Picked[]): DuplicateCandidate[] {
  const candidates: DuplicateCandidate[] = [];
  for (const { session, via, record } of picked) {
    const known = readRecord(record);
    if (known !== null) candidates.push(candidateOf(unpackRef(session), via, known));
  }
  return sortCandidates(candidates);
}

type Numbers = readonly [
  ...call: [receiptId: string, supersedes: string | null, device: string | null, signatureFresh: boolean],
  ...found: [complete: boolean, history: StoredHistory],
  ...counts: [ReturnType<typeof listFigures>, source: SourceList | false, terms: CountFacts['terms'], number[]],
  ...names: [candidates: (readonly [Uint8Array, DuplicateCandidate['via']])[], ProbeNames | null, string | null],
];

export interface NewReceipt {
  readonly content: Uint8Array;
  readonly counted: Omit<CountRecord, 'probe'>;
  readonly picked: readonly Picked[];
  readonly probe: { readonly names: ProbeNames; readonly device: string | null } | null;
}

export function packReceipt({ content, counted, picked, probe }: NewReceipt): Bytes {
  const { receiptId, supersedes, device, signatureFresh, complete, history, counts } = counted;
  const { source, terms, neighborhood } = counts;
  const numbers: Numbers = [
    receiptId,
    supersedes,
    device,
    signatureFresh,
    complete,
    history,
    listFigures(counts),
    source === null ? false : [source.hour, source.mean, source.variance, source.hours],
    terms,
    listNeighborhood(neighborhood),
    picked.map(({ session, via }) => [bufferOf(session), via] as const),
    probe === null ? null : probe.names,
    probe === null ? null : probe.device,
  ];
  const parts = [bytesOf(content), bytesOf(packr.pack(numbers)), ...picked.map(({ record }) => record)];
  return '\0'.repeat(versionBytes) + joinParts(parts);
}

/** Reads a receipt, and its probe with the project. */
export function* readReceipt(namespace: Namespace, value: Bytes): Step<RecentReceipt> {
  const [content = '', numbers = '', ...records] = splitParts(value, versionBytes);
  const [receiptId, supersedes, device, signatureFresh, complete, history, ...more] = packr.unpack(
    bufferOf(numbers),
  ) as Numbers;
  const [figures, source, terms, neighborhood, found, names, probeDevice] = more;
  const picked = found.map(([session, via], i) => ({ session: bytesOf(session), via, record: records[i] ?? '' }));
  let probe = null;
  if (names !== null) {
    const { values } = yield { keys: [probeKeyOf(splitNamespace(namespace).holder, names.session)] };
    probe = storedProbe(readProbe(values[0]), names, probeDevice);
  }
  return {
    ...{ receiptId, supersedes, device, signatureFresh, complete, history, namespace, probe },
    content: bufferOf(content),
    counts: {
      candidates: candidatesOf(picked),
      neighborhood: readNeighborhood(neighborhood),
      source: readSource(source),
      terms,
      // Spread last: spreading first is 80 times slower in V8.
      ...readFigures(figures),
    },
  };
}

export function* findReceipt(namespace: Namespace, receiptId: string): Step<Ended<RecentReceipt | null>> {
  const { values } = yield { keys: [keysOf(namespace, '').receipt(receiptId)] };
  const [value] = values;
  return { result: value == null ? null : yield* readReceipt(namespace, value), writes: null };
}
