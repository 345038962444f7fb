/**
 * Identities as the service gets them: hashed with a salt of yours that it never sees. Other languages do the same by the vectors of
 * docs/how-to/hashing-vectors.json.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { invalidOption } from './errors.js';

const saltLengthMin = 16;
/** Nothing, or how JavaScript writes it as text: all respondents without an id would be one person. */
const nothing = /^(?:|undefined|null|NaN|\[object \w+\])$/;

/** Lowercase hex SHA-256 over the UTF-8 of `salt`, a `|` and the UTF-8 of `value`, both as they are: nothing is trimmed or folded. Throws for a salt that can be guessed, and for no value. */
export function hashIdentity(salt: string, value: string): string {
  if (typeof salt !== 'string' || salt.length < saltLengthMin)
    throw invalidOption(`hashIdentity needs a salt of at least ${saltLengthMin} characters: \`openssl rand -hex 32\`.`);
  if (typeof value === 'number' || typeof value === 'bigint')
    throw invalidOption(`hashIdentity takes the value as text, such as "${String(value)}", not as a number.`);
  if (typeof value !== 'string' || nothing.test(value))
    throw invalidOption('hashIdentity needs a value; where there is none, leave the field away.');
  return createHash('sha256').update(`${salt}|${value}`, 'utf8').digest('hex');
}

/** The network of an address, as it is hashed: `192.0.2.0/24`, `2001:db8:1::/48`. An IPv4 address inside an IPv6 one counts as IPv4. Throws for no address. */
export function ipPrefix(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  if (isIP(plain) === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  if (isIP(plain) !== 6 || plain.includes('%')) throw invalidOption('ipPrefix needs an IPv4 or IPv6 address.');
  const [front = '', back] = canonical(plain).split('::');
  const head = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return `${canonical(`${groups.slice(0, 3).join(':')}::`)}/48`;
}

/** Returns the form of RFC 5952, which a URL also makes of an address. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
