/**
 * What the request that carries a page’s measurements says of its sender, to compare with them.
 */
import type { FastifyRequest } from 'fastify';
import type { ProbeTransport } from '../../contract/probe.js';

const textLengthMax = 512;

export function transportOf({ headers }: FastifyRequest): ProbeTransport {
  const text = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value.slice(0, textLengthMax) : null;
  };
  return {
    userAgent: text('user-agent'),
    acceptLanguage: text('accept-language'),
    hintPlatform: text('sec-ch-ua-platform'),
    hintMobile: text('sec-ch-ua-mobile'),
  };
}
