/**
 * Domains under which strangers get names of their own: a wildcard there would allow everybody. They are the public suffix list, registries
 * and private services alike, and what is missing there.
 */
import { getPublicSuffix } from 'tldts';

/** Clouds that hand out names at several depths, by region and service. */
const families = ['amazonaws.com', 'azure.com', 'windows.net'];

/** Services whose customers get names directly under these domains, although the public suffix list does not have them. */
const unlisted =
  'netlify.com railway.app glitch.me stackblitz.io webcontainer.io codesandbox.io squarespace.com weebly.com wordpress.com super.site ' +
  'b-cdn.net googleusercontent.com loca.lt serveo.net devtunnels.ms lhr.life nip.io sslip.io xip.io';

const options = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
  extraSuffixes: { private: unlisted.split(' ') },
};
const isSuffix = (domain: string): boolean => getPublicSuffix(domain, options) === domain;

/** Whether strangers get names directly under this domain, a host name in lower-case ASCII. Any single label counts. */
export function isSharedSuffix(domain: string): boolean {
  // Under the parent of a wildcard rule (*.compute.example), each name is a suffix and the parent may not be.
  if (isSuffix(domain) || isSuffix(`any.${domain}`)) return true;
  return families.some((family) => `.${domain}`.endsWith(`.${family}`));
}
