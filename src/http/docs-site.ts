/** Serves the documentation at /docs, and its HTTP reference also under the root of the API. `npm run build:docs` builds the pages. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { packageRoot } from '../package-root.js';
import { registerOpen } from './access.js';

const directory = join(packageRoot, 'dist', 'docs');
/** Below the service's own address. */
const docsPath = '/docs/';

export interface DocsSite {
  /** The root of the API on this listener, as a path. */
  readonly root: string;
  /** The page of the reference that `{root}/docs` shows, by its path below /docs. */
  readonly reference: string;
  /** Roots of the API and of studies: a path on this listener, or the address of the other one. */
  readonly addresses: () => { readonly api: string; readonly studies: string };
}

/** In reading order, by their path below docs/. */
const guides = {
  'tutorials/first-score': 'start here: score, probe, outcome, webhook',
  'tutorials/verify-a-respondent': 'a verification and its token',
  'tutorials/first-study': 'a study with one supplier',
  'how-to/act-on-verdicts': 'decide on risk and duplication',
  'how-to/score-from-other-languages': 'scoring in Node.js, Python, PHP and Go',
  'how-to/hash-identities': 'hashing identities, byte by byte',
  'how-to/evaluate': 'a trial that proves something',
  'how-to/calibrate': 'the two thresholds, and when to move them',
  'how-to/try-a-shadow': 'thresholds or a model on live traffic, without effect',
  'how-to/step-up': 'from a doubtful score to a verification, and back',
  'how-to/go-live': 'checks before you act, and the first weeks',
  'how-to/check-tokens': 'a verification in your backend',
  'how-to/connect-suppliers': 'signed links of studies',
  'explanation/threat-model': 'what a pass proves, and what attacks on it cost',
} as const;

/** The list of guides in Markdown, for the OpenAPI document. */
export const listGuides = (): string =>
  Object.entries(guides)
    .map(([name, about]) => `- [${name.replace(/^.*\//, '').replaceAll('-', ' ')}](${docsPath}${name}.html): ${about}`)
    .join('\n');

/** A style sheet that stops transitions while the theme changes; part of the generator. */
const transitionStyle = 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y=';

/** Inline scripts are named by their hash; highlighted code has its colors as attributes. */
const policyOf = (scriptHashes: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${scriptHashes.map((value) => `'sha256-${value}'`).join(' ')}`,
    `style-src 'self' '${transitionStyle}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The build, which starts a service to describe it, has none yet. */
const readScriptHashes = (): readonly string[] =>
  JSON.parse(readFileSync(join(directory, 'script-hashes.json'), 'utf8')) as readonly string[];

export async function serveDocsSite(app: FastifyInstance, { root, reference, addresses }: DocsSite): Promise<void> {
  let hashes: readonly string[] | null = null;
  // The page takes its own address from the location.
  const relocation = `history.replaceState(null,'','${docsPath}${reference}')`;
  const policy = (): string => {
    hashes ??= [...readScriptHashes(), hash('sha256', relocation, 'base64')];
    return policyOf(hashes);
  };
  await registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      root: directory,
      prefix: docsPath,
      decorateReply: false,
      index: false,
      preCompressed: true,
      setHeaders(reply, path) {
        const isHashed = path.includes('/assets/');
        void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (/\.html(?:\.\w+)?$/.test(path)) void reply.header('content-security-policy', policy());
      },
    });
    const hidden = { schema: { hide: true } };
    scope.get('/', hidden, (_request, reply) => reply.redirect(docsPath));
    scope.get(`${docsPath}addresses.json`, hidden, async () => addresses());
    const sendPage = (reply: FastifyReply, path: string): Promise<string> => {
      void reply.header('content-security-policy', policy()).type('text/html; charset=utf-8');
      return readFile(join(directory, path), 'utf8');
    };
    scope.get('/docs', hidden, async (_request, reply) => sendPage(reply, 'index.html'));
    scope.get(`${root}/docs`, hidden, async (_request, reply) => {
      const page = await sendPage(reply, reference);
      return page.replace('<head>', `<head><script>${relocation}</script>`);
    });
  });
}
