/**
 * Facts of the browser that read the same in the page, in a fresh frame and in a worker, unless
 * somebody changed one of the three.
 */
export type Facts = Record<string, string>;

/**
 * Reads the facts of one global scope. The worker runs this function from its source text, so it
 * may refer to nothing outside itself.
 */
export function readFacts(scope: typeof globalThis, withGraphics: boolean): Facts {
  const facts: Facts = {};
  const navigator = scope.navigator;
  ['userAgent', 'platform', 'languages', 'hardwareConcurrency', 'deviceMemory', 'appVersion'].forEach((name) => {
    facts[name] = String((navigator as unknown as Record<string, unknown>)[name]);
  });
  facts['timeZone'] = new scope.Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (withGraphics && scope.OffscreenCanvas) {
    const gl = new scope.OffscreenCanvas(1, 1).getContext('webgl');
    if (gl) {
      // The two numbers are UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL.
      gl.getExtension('WEBGL_debug_renderer_info');
      facts['gpu'] = gl.getParameter(37445) + '~' + gl.getParameter(37446);
      // Browsers allow a page only some contexts at once; the page may need this one.
      gl.getExtension('WEBGL_lose_context')?.loseContext();
    }
  }
  return facts;
}

/** Names, prefixed with the check's, of the facts that both sides have and do not share. */
export function compareFacts(check: string, ours: Facts, theirs: Facts): string[] {
  return Object.keys(theirs)
    .filter((name) => name in ours && ours[name] !== theirs[name])
    .map((name) => check + '.' + name);
}
