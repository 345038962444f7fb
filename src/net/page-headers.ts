/** The headers of a page’s request that are compared with what the page measures. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProbeTransport } from '../contract/probe.js';
import { userAgentLengthMax } from '../limits.js';

export function readPageHeaders(headers: IncomingHttpHeaders): ProbeTransport {
  const text = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value.slice(0, userAgentLengthMax) : null;
  };
  return {
    userAgent: text('user-agent'),
    acceptLanguage: text('accept-language'),
    hintPlatform: text('sec-ch-ua-platform'),
    hintMobile: text('sec-ch-ua-mobile'),
  };
}
