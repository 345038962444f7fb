/** Methods of a path, so that a wrong method is a 405 with Allow rather than a 404. Only used for requests that no route serves. */
export interface RouteTable {
  add(method: string | readonly string[], pattern: string): void;
  /** Methods of the routes that match a path; empty if none does. */
  methodsOf(path: string): readonly string[];
}

export function createRouteTable(): RouteTable {
  const routes: { readonly method: string; readonly pattern: RegExp; readonly parameters: number }[] = [];
  return {
    add(method, pattern) {
      const segments = pattern.split('/');
      const parameters = segments.filter((segment) => segment === '*' || segment.startsWith(':')).length;
      const source = segments.map(segmentSource).join('/');
      for (const name of typeof method === 'string' ? [method] : method)
        routes.push({ method: name, pattern: new RegExp(`^${source}/?$`), parameters });
    },
    methodsOf(path) {
      const matching = routes.filter(({ pattern }) => pattern.test(path));
      // As in the router, a fixed path takes precedence over one with parameters.
      const fewest = Math.min(...matching.map(({ parameters }) => parameters));
      return [...new Set(matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method))];
    },
  };
}

function segmentSource(segment: string): string {
  if (segment === '*') return '.*';
  return segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
