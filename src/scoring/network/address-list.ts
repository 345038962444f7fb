/**
 * A list of addresses and networks from a text file: one address or CIDR network a line, `#` begins a comment. Throws on a line that is neither, so that
 * half a list never serves as a whole one.
 */
import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import type { Address } from '../../net/address.js';
import { parseNetwork } from '../../net/forwarding.js';

/** A wider network is a mistake: it would make a proxy of a good part of all respondents. */
const bitsMin = 8;

export interface AddressList {
  has(address: Address): boolean;
}

export async function loadAddressList(path: string): Promise<AddressList> {
  const addresses = new Set<string>();
  const networks = new BlockList();
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const [n, line] of lines.entries()) {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') continue;
    const network = parseNetwork(text);
    if (network === null || network.prefixLength < bitsMin)
      throw new Error(`line ${n + 1} is neither an address nor a network of ${bitsMin} bits or more`);
    const { address, prefixLength } = network;
    if (text.includes('/')) networks.addSubnet(address.text, prefixLength, familyOf(address));
    else addresses.add(address.text);
  }
  const hasNetworks = networks.rules.length > 0;
  return {
    has: (address) => addresses.has(address.text) || (hasNetworks && networks.check(address.text, familyOf(address))),
  };
}

const familyOf = ({ family }: Address): 'ipv4' | 'ipv6' => (family === 4 ? 'ipv4' : 'ipv6');
