/** The user agent and its client hints; the hints are null where the browser has none. */
import type { Reader } from '../types.js';

interface AgentData {
  brands: { brand: string; version: string }[];
  mobile: boolean;
  platform: string;
  getHighEntropyValues(hints: string[]): Promise<Record<string, string>>;
}

export const readAgent: Reader<'ua'> = async () => {
  const data = (navigator as unknown as { userAgentData?: AgentData }).userAgentData;
  const high = await data?.getHighEntropyValues(['architecture', 'model', 'platformVersion']).catch(() => null);
  return {
    ua: navigator.userAgent.slice(0, 1024),
    brands: data?.brands.map((brand) => (brand.brand + ';' + brand.version).slice(0, 96)).slice(0, 10) ?? null,
    mobile: data?.mobile ?? null,
    platform: data?.platform ?? null,
    platformVersion: high?.['platformVersion'] ?? null,
    model: high?.['model'] ?? null,
    arch: high?.['architecture'] ?? null,
  };
};
