/** Identifiers: UUIDv7 behind a prefix that says what they name, so that they sort by time and carry it. */
import { uuidv7obj } from 'uuidv7';

export const idPrefixes = {
  project: 'proj_',
  organization: 'org_',
  key: 'key_',
  receipt: 'rcpt_',
  audit: 'audit_',
  event: 'evt_',
  webhook: 'whk_',
  delivery: 'dlv_',
  session: 'sess_',
  fingerprint: 'fp_',
  link: 'link_',
  client: 'client_',
  study: 'study_',
  supplier: 'sup_',
  reservation: 'plc_',
  token: 'tok_',
} as const;

export type MakeId = (kind: keyof typeof idPrefixes) => string;

export const makeId: MakeId = (kind) => idPrefixes[kind] + uuidv7obj().toHex();

/** An id of an earlier time, whose other bits follow from 10 bytes or more that are given: the same bytes give the same id. */
export function idAt(kind: keyof typeof idPrefixes, atMs: number, bits: Uint8Array): string {
  const hex = Buffer.from(bits.subarray(0, 10)).toString('hex');
  return `${idPrefixes[kind]}${atMs.toString(16).padStart(12, '0')}7${hex.slice(0, 3)}8${hex.slice(3, 18)}`;
}

/** The time that an id of ours carries, milliseconds since 1970, or null where the text is no such id. */
export function timeOfId(kind: keyof typeof idPrefixes, id: string): number | null {
  const hex = id.startsWith(idPrefixes[kind]) ? id.slice(idPrefixes[kind].length) : '';
  if (!/^[0-9a-f]{32}$/.test(hex)) return null;
  return Number.parseInt(hex.slice(0, 12), 16);
}

/** The least id of its kind that was made at this time (milliseconds since 1970) or later: what sorts below it is older. */
export const leastIdAt = (kind: keyof typeof idPrefixes, ms: number): string =>
  idPrefixes[kind] + Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').padEnd(32, '0');
