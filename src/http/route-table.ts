/**
 * Which methods an address takes, so that a wrong method is answered 405 with Allow rather than 404.
 * Looked at for unknown addresses only, never on a served one.
 */
export interface RouteTable {
  add(method: string | readonly string[], pattern: string): void;
  /** Methods of the routes that match a path; empty where none does. */
  methodsOf(path: string): readonly string[];
}

export function createRouteTable(): RouteTable {
  const routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  return {
    add(method, pattern) {
      const source = pattern.split('/').map(segmentSource).join('/');
      for (const name of typeof method === 'string' ? [method] : method) routes.push({ method: name, pattern: new RegExp(`^${source}/?$`) });
    },
    methodsOf: (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))],
  };
}

function segmentSource(segment: string): string {
  if (segment === '*') return '.*';
  return segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
