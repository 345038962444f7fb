/**
 * The sender of a request: the headers that are compared with a page’s measurements, and the class of device and the family of browser
 * for counting, which have few values.
 */
import type { FastifyRequest } from 'fastify';
import type { ProbeTransport } from '../../contract/probe.js';

const devices = [
  ['tablet', /iPad|Tablet|Android(?!.*Mobile)/],
  ['mobile', /Mobi|iPhone|iPod|Android/],
  ['desktop', /Windows|Macintosh|X11|Linux|CrOS/],
] as const;
const browsers = [
  ['edge', /Edg/],
  ['opera', /OPR\/|Opera/],
  ['samsung', /SamsungBrowser/],
  ['firefox', /Firefox|FxiOS/],
  ['chrome', /Chrome|CriOS/],
  ['safari', /Safari/],
] as const;

const unknown = 'other';
const nameOf = (names: readonly (readonly [string, RegExp])[], userAgent: string): string =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? unknown;

export const clientClassOf = (userAgent: string | null): { readonly device: string; readonly browser: string } => ({
  device: nameOf(devices, userAgent ?? ''),
  browser: nameOf(browsers, userAgent ?? ''),
});

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
