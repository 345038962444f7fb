/** The way in of public calls: site key, origin, limit and CORS headers. A refusal carries the headers too, so that the page can read it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownPublicKey } from '../kernel/faults.js';
import { Fault } from '../errors.js';
import type { Directories } from './directories.js';
import type { Address } from '../net/address.js';
import type { Limits } from './request-limits.js';
import type { StoredOrganization } from './organization-store.js';
import type { StoredProject } from './project-store.js';
import type { Environment } from '../config/settings.js';
import type { SessionMode } from '../contract/common.js';
import type { OriginCheck } from '../contract/project.js';
import { findOriginPattern, parseOriginPattern, type OriginPattern } from '../net/origin-pattern.js';

export interface PublicGuardDeps {
  readonly directories: Pick<Directories, 'projects' | 'organizations'>;
  readonly limits: Pick<Limits, 'takeAddress' | 'takeWork' | 'takeProbeRate'>;
  readonly decide: DecideOrigin;
  /** The origin of the service’s own pages. */
  readonly ownOrigin: () => string;
}

export interface Visitor extends OriginDecision {
  readonly project: StoredProject;
  readonly organization: StoredOrganization;
  /** The header Origin as it came; null where there is none. */
  readonly origin: string | null;
  /** That the site key asks for. */
  readonly mode: Extract<SessionMode, 'live' | 'test'>;
}

const testSuffix = ':test';

/** A site key is the project’s id; with `:test` behind it, sessions are of test mode. */
export const readSiteKey = (siteKey: string): Pick<Visitor, 'mode'> & { readonly projectId: string } =>
  siteKey.endsWith(testSuffix)
    ? { projectId: siteKey.slice(0, -testSuffix.length), mode: 'test' }
    : { projectId: siteKey, mode: 'live' };

/** A public call counts against one of these limits; requests are those that may become work. */
export type PublicCall = 'reads' | 'requests' | 'reports';

/** A request that goes on counts as work of its page, network and address, too. One that is refused before uses up none of it. */
export type PublicWork = 'sessions' | 'completions';

export interface Admission {
  /** A link of the project also lets the service’s own page in. */
  readonly isLinked?: boolean;
  /** The limit that the call counts against, by default a read; reports are counted with the probe’s. */
  readonly counts?: PublicCall;
}

export interface PublicGuard {
  /** Finds the visitor, and whether their page is allowed. Refuses only unknown site keys and callers over the limit. */
  look(request: FastifyRequest, reply: FastifyReply, siteKey: string): Promise<Visitor>;
  /** The same, and ORIGIN_NOT_ALLOWED for pages that may not. */
  admit(request: FastifyRequest, reply: FastifyReply, siteKey: string, admission?: Admission): Promise<Visitor>;
  /** Takes the work of an admitted visitor off the limits of their address, and of project and origin. */
  countWork(kind: PublicWork, visitor: Visitor, address: Address | null): Promise<void>;
  /** Takes a probe off the limit of project and origin, or of its address where no project has its key (null). Any page may send probes; those of pages that may not use the project share one count. */
  countProbe(projectId: string | null, origin: string | null, address: Address | null): Promise<void>;
}

export function createPublicGuard({ directories, limits, decide, ownOrigin }: PublicGuardDeps): PublicGuard {
  async function find(siteKey: string, origin: string | null): Promise<Visitor | null> {
    const { projectId, mode } = readSiteKey(siteKey);
    const project = await directories.projects.get(projectId);
    const organization = project === null ? null : await directories.organizations.get(project.organizationId);
    if (project === null || organization === null) return null;
    return {
      project,
      organization,
      origin,
      mode,
      ...decide(
        { project: project.fields.config?.allowedDomains ?? noPatterns, organization: organization.allowedDomains },
        origin,
      ),
    };
  }

  async function look(
    request: FastifyRequest,
    reply: FastifyReply,
    siteKey: string,
    counts: PublicCall = 'reads',
  ): Promise<Visitor> {
    const origin = request.headers.origin ?? null;
    allowReading(reply, origin);
    request.rateTaken = true;
    if (counts !== 'reports') await limits.takeAddress(counts, request.clientAddress);
    const visitor = siteKey.startsWith('proj_') ? await find(siteKey, origin) : null;
    if (visitor === null) throw unknownPublicKey('site');
    return visitor;
  }

  /** The page that an admitted visitor is counted by. Subdomains that one pattern allows share its limit. */
  const pageOf = ({ allowed, pattern }: Visitor): string | null => (allowed ? pattern : ownOrigin());

  return {
    look: (request, reply, siteKey) => look(request, reply, siteKey),
    async admit(request, reply, siteKey, { isLinked = false, counts = 'reads' } = {}) {
      const visitor = await look(request, reply, siteKey, counts);
      const isOwn = !visitor.allowed && isLinked && isOwnPage(request, ownOrigin());
      if (visitor.allowed || isOwn) {
        const { projectId } = visitor.project;
        if (counts === 'reports') await limits.takeProbeRate(projectId, pageOf(visitor), request.clientAddress);
        return visitor;
      }
      const { origin, decidedBy } = visitor;
      const setting = decidedBy === 'organization' ? 'settings.allowedDomains' : 'config.allowedDomains';
      throw new Fault(
        'ORIGIN_NOT_ALLOWED',
        origin === null
          ? 'The request has no `Origin` header. Call from a page of an allowed origin.'
          : `Origin ${origin} isn’t allowed. Add it to \`${setting}\`.`,
      );
    },
    async countWork(kind, visitor, address) {
      await limits.takeAddress(kind, address);
      await limits.takeWork(kind, visitor.project.projectId, pageOf(visitor), address);
    },
    async countProbe(projectId, origin, address) {
      if (projectId === null) return limits.takeAddress('requests', address);
      const visitor = await find(projectId, origin);
      await limits.takeProbeRate(projectId, visitor?.pattern ?? null, address);
    },
  };
}

const noPatterns: readonly string[] = [];

/** Whether the service’s own page asks. A browser omits Origin only within a site; other clients are held by their credentials. */
function isOwnPage({ headers }: FastifyRequest, ownOrigin: string): boolean {
  if (headers.origin !== undefined) return headers.origin === ownOrigin;
  return (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
}

/** Lets the page read the reply. The reply depends on the decision. */
export function allowReading(reply: FastifyReply, origin: string | null): void {
  void reply.header('vary', 'Origin');
  if (origin === null) return;
  void reply.headers({
    'access-control-allow-origin': origin,
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-expose-headers': 'x-request-id, retry-after, x-ratelimit-remaining, x-ratelimit-reset, etag',
  });
}

/** Answers every preflight of a public address: a preflight names no site key, so that the request itself is decided on. */
export function answerPreflights(app: FastifyInstance, path: string, method: string): void {
  app.options(path, { config: { access: { credential: 'none' } }, schema: { hide: true } }, (request, reply) => {
    allowReading(reply, request.headers.origin ?? null);
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': method,
        'access-control-allow-headers': 'content-type, if-none-match, x-client-secret, x-vh-diagnostics, x-request-id',
        'access-control-max-age': '86400',
      })
      .send();
  });
}

export interface OriginDecision {
  readonly allowed: boolean;
  readonly decidedBy: OriginCheck['decidedBy'];
  /** The registered pattern that allows the page; null where none does. */
  readonly pattern: string | null;
}

export type DecideOrigin = (
  lists: { readonly project: readonly string[]; readonly organization: readonly string[] },
  origin: string | null,
) => OriginDecision;

/**
 * Decides which pages may use a project: by the project’s list unless it is empty, else by the organization’s. If both are empty, every
 * origin is allowed in development and none elsewhere. Parsed lists are kept as long as the cached record that they belong to.
 */
export function createOriginDecision(environment: Environment): DecideOrigin {
  const parsed = new WeakMap<readonly string[], readonly OriginPattern[]>();
  const patternsOf = (texts: readonly string[]): readonly OriginPattern[] => {
    const known = parsed.get(texts);
    if (known !== undefined) return known;
    const patterns = texts.map(parseOriginPattern).flatMap((result) => (result.ok ? [result.pattern] : []));
    parsed.set(texts, patterns);
    return patterns;
  };
  return ({ project, organization }, origin) => {
    const byList = (list: readonly string[], decidedBy: OriginDecision['decidedBy']): OriginDecision => {
      const pattern = origin === null ? null : findOriginPattern(origin, patternsOf(list));
      return { allowed: pattern !== null, decidedBy, pattern: pattern?.text ?? null };
    };
    if (project.length > 0) return byList(project, 'project');
    if (organization.length > 0) return byList(organization, 'organization');
    return { allowed: environment === 'development', decidedBy: 'environment', pattern: null };
  };
}
