/**
 * Whether a user agent names a crawler, a library or a tool rather than a browser. A list that is kept elsewhere decides.
 */
import { isbot } from 'isbot';

export function isDeclaredBot(userAgent: string): boolean {
  return isbot(userAgent);
}
