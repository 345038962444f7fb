/**
 * The coarse class of a device, such as "android/chrome", read from its user agent. Two sessions behind one address in the
 * same minutes are tied together only within one class. Coarse on purpose: it must not tell people apart.
 */
import { readUserAgent } from '../contract/user-agent.js';

/** null where the user agent is absent or names no known system. */
export function deviceClassOf(userAgent: string | null): string | null {
  const agent = readUserAgent(userAgent);
  return agent?.os == null ? null : `${agent.os}/${agent.browser ?? 'other'}`;
}
