/**
 * A small web server for browser tests: serves files that the test names, and collects the probes
 * that pages post. It listens on 127.0.0.1 only, on a free port.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProbeBody } from '../../src/contract/probe.js';
import { pollUntil } from './wait-until.js';

/** A probe as it arrived. */
export interface CollectedProbe {
  readonly method: string;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ProbeBody;
  readonly bytes: number;
}

export interface StaticSite {
  readonly origin: string;
  /** Probes in order of arrival. */
  readonly probes: CollectedProbe[];
  /** Posts of pages to /note, in order of arrival. */
  readonly notes: unknown[];
  /** Methods and paths asked for, in order. */
  readonly requests: string[];
  /** Waits until a probe fulfils the condition; rejects after the deadline. */
  waitForProbe(what: string, isMet: (probe: CollectedProbe) => boolean, timeoutMs?: number): Promise<CollectedProbe>;
  close(): Promise<void>;
}

export interface StaticSiteOptions {
  /** Answers by path: a body, with the type told by the path's ending. */
  readonly files: Record<string, string | Buffer>;
  /** Headers of every file, for example a content security policy; or of the one that an address asks for. */
  readonly headers?: Record<string, string> | ((url: URL) => Record<string, string>);
  /** Status of the answer to a probe; 'hang' never answers. */
  readonly probeStatus?: number | 'hang';
}

const types: Record<string, string> = { js: 'text/javascript', html: 'text/html; charset=utf-8' };
const probePath = '/api/v1/public/lite/probe';
const bodyBytesMax = 65_536;

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > bodyBytesMax) throw new Error('the probe is too long');
  }
  return text;
}

export async function startStaticSite({ files, headers, probeStatus = 202 }: StaticSiteOptions): Promise<StaticSite> {
  const probes: CollectedProbe[] = [];
  const notes: unknown[] = [];
  const requests: string[] = [];

  const takeNote = async (request: IncomingMessage, response: ServerResponse) => {
    notes.push(JSON.parse(await readBody(request)));
    response.writeHead(204).end();
  };
  const takeProbe = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readBody(request);
    if (text)
      probes.push({
        method: request.method ?? '',
        text,
        headers: request.headers,
        body: JSON.parse(text) as ProbeBody,
        bytes: Buffer.byteLength(text),
      });
    if (probeStatus === 'hang') return;
    response.writeHead(probeStatus, {
      'content-type': 'application/json',
      'access-control-allow-origin': request.headers.origin ?? '*',
    });
    response.end('{}');
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { pathname } = url;
    requests.push(`${request.method} ${pathname}`);
    const body = files[pathname];
    if (pathname === probePath) takeProbe(request, response).catch(() => response.destroy());
    else if (pathname === '/note') takeNote(request, response).catch(() => response.destroy());
    else if (body === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, {
          'content-type': types[pathname.split('.').pop() ?? ''] ?? 'text/html; charset=utf-8',
          ...(typeof headers === 'function' ? headers(url) : headers),
        })
        .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    probes,
    notes,
    requests,
    waitForProbe: (what, isMet, timeoutMs) => pollUntil(what, () => probes.find(isMet), timeoutMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
