/** Writes a database of autonomous systems for GEOIP_ASN_DB, so that a test chooses the kind of network that an address belongs to. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './directories.js';
import { writeMmdb } from './mmdb.js';

const system = (autonomous_system_number: number, autonomous_system_organization: string) => ({
  autonomous_system_number,
  autonomous_system_organization,
});
const systems = {
  home: system(3320, 'Deutsche Telekom AG'),
  hosting: system(24940, 'Hetzner Online GmbH'),
  carrier: system(21928, 'T-Mobile USA, Inc.'),
  campus: system(3, 'Massachusetts Institute of Technology'),
};

/** Returns the path of the file. `networks`: the kind of each CIDR network. */
export function writeSystems(
  t: Parameters<typeof temporaryDirectory>[0],
  networks: Readonly<Record<string, keyof typeof systems>>,
): string {
  const path = join(temporaryDirectory(t), 'systems.mmdb');
  const named = Object.entries(networks).map(([network, kind]) => [network, systems[kind]] as const);
  writeFileSync(path, writeMmdb({ databaseType: 'GeoLite2-ASN', networks: Object.fromEntries(named) }));
  return path;
}
