/**
 * Writes small MaxMind DB files (format 2.0), so that tests choose what an address resolves to. Values are strings,
 * booleans, non-negative integers below 2^32, arrays and maps; a later network overrides an earlier one inside it.
 * It is meant for tens of networks, not for millions. A value or network it cannot write is thrown.
 */
import ipaddr from 'ipaddr.js';

export type MmdbValue = string | number | boolean | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

export interface MmdbSource {
  readonly databaseType: string;
  /** 6 (default) holds both families, IPv4 under ::/96. */
  readonly ipVersion?: 4 | 6;
  /** CIDR network to record, least specific first. */
  readonly networks: Readonly<Record<string, MmdbValue>>;
}

/** A subtree: unknown space, a record’s index, or a fork on the next bit. */
type Tree = null | number | { left: Tree; right: Tree };

const metadataMarker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const recordBits = 32;

/** The file’s bytes. */
export function writeMmdb({ databaseType, ipVersion = 6, networks }: MmdbSource): Buffer {
  const records: Buffer[] = [];
  let tree: Tree = null;
  for (const [network, value] of Object.entries(networks)) {
    tree = insert(tree, readBits(network, ipVersion), records.push(encodeValue(value)) - 1);
  }
  const { nodeCount, search } = layOutTree(tree, records);
  const metadata = encodeValue({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: databaseType,
    description: { en: 'Written by a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodeCount,
    record_size: recordBits,
  });
  return Buffer.concat([search, Buffer.alloc(16), ...records, metadataMarker, metadata]);
}

function readBits(network: string, ipVersion: 4 | 6): boolean[] {
  const [address, length] = ipaddr.parseCIDR(network);
  const bytes = address.toByteArray();
  if (ipVersion === 4 && bytes.length === 16) throw new Error(`${network} does not fit into an IPv4 file`);
  const offsetBits = ipVersion === 6 && bytes.length === 4 ? 96 : 0;
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1) === 1));
  return [...new Array<boolean>(offsetBits).fill(false), ...bits.slice(0, length)];
}

function insert(tree: Tree, bits: readonly boolean[], record: number): Tree {
  const [right, ...rest] = bits;
  if (right === undefined) return record;
  const fork = typeof tree === 'object' && tree !== null ? tree : { left: tree, right: tree };
  return right
    ? { left: fork.left, right: insert(fork.right, rest, record) }
    : { left: insert(fork.left, rest, record), right: fork.right };
}

/** Numbers the forks breadth first and writes each as two pointers: to a node, to "unknown", or into the data. */
function layOutTree(tree: Tree, records: readonly Buffer[]): { nodeCount: number; search: Buffer } {
  const root = typeof tree === 'object' && tree !== null ? tree : { left: tree, right: tree };
  const nodes = [root];
  const numbers = new Map<object, number>([[root, 0]]);
  for (const node of nodes) {
    for (const child of [node.left, node.right]) {
      if (typeof child === 'object' && child !== null) numbers.set(child, nodes.push(child) - 1);
    }
  }
  const dataStarts: number[] = [];
  records.reduce((start, record) => (dataStarts.push(start), start + record.length), 0);
  const pointTo = (child: Tree): number => {
    if (child === null) return nodes.length;
    return typeof child === 'number' ? nodes.length + 16 + (dataStarts[child] ?? 0) : (numbers.get(child) ?? 0);
  };
  const search = Buffer.alloc((nodes.length * recordBits) / 4);
  nodes.forEach((node, index) => {
    search.writeUInt32BE(pointTo(node.left), index * 8);
    search.writeUInt32BE(pointTo(node.right), index * 8 + 4);
  });
  return { nodeCount: nodes.length, search };
}

const types = { string: 2, uint32: 6, map: 7, array: 11, boolean: 14 } as const;

function encodeValue(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'utf8');
    return Buffer.concat([encodeControl(types.string, bytes.length), bytes]);
  }
  if (typeof value === 'boolean') return encodeControl(types.boolean, value ? 1 : 0);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([encodeControl(types.uint32, 4), bytes]);
  }
  if (isList(value)) return Buffer.concat([encodeControl(types.array, value.length), ...value.map(encodeValue)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    encodeControl(types.map, entries.length),
    ...entries.flatMap(([key, item]) => [encodeValue(key), encodeValue(item)]),
  ]);
}

function isList(value: MmdbValue): value is readonly MmdbValue[] {
  return Array.isArray(value);
}

/** Five bits in the control byte, and the bytes behind it where they do not suffice. */
function encodeSize(size: number): { readonly code: number; readonly tail: readonly number[] } {
  if (size < 29) return { code: size, tail: [] };
  if (size < 285) return { code: 29, tail: [size - 29] };
  return { code: 30, tail: [(size - 285) >> 8, (size - 285) & 0xff] };
}

function encodeControl(type: number, size: number): Buffer {
  if (size >= 285 + 65_536) throw new Error(`a value of ${size} bytes is too large for this writer`);
  const { code, tail } = encodeSize(size);
  const lead = type <= 7 ? [(type << 5) | code] : [code, type - 7];
  return Buffer.from([...lead, ...tail]);
}
