/**
 * A list of addresses and networks from a text file: one address or CIDR network a line, `#` begins a comment. Throws on a line that is neither, so that
 * half a list never serves as a whole one.
 */
import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { parseAddress, type Address } from '../../net/address.js';

export interface AddressList {
  has(address: Address): boolean;
}

export async function loadAddressList(path: string): Promise<AddressList> {
  const addresses = new Set<string>();
  const networks = new BlockList();
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const [n, line] of lines.entries()) {
    const [text = '', bits] = line.replace(/#.*/, '').trim().split('/');
    if (text === '') continue;
    const address = parseAddress(text);
    const width = bits === undefined ? null : Number(bits);
    if (address === null || (width !== null && !(width >= 8 && width <= (address.family === 4 ? 32 : 128))))
      throw new Error(`line ${n + 1} is neither an address nor a network of 8 bits or more`);
    if (width === null) addresses.add(address.text);
    else networks.addSubnet(address.text, width, familyOf(address));
  }
  const hasNetworks = networks.rules.length > 0;
  return {
    has: (address) => addresses.has(address.text) || (hasNetworks && networks.check(address.text, familyOf(address))),
  };
}

const familyOf = ({ family }: Address): 'ipv4' | 'ipv6' => (family === 4 ? 'ipv4' : 'ipv6');
