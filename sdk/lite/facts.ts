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
  if (withGraphics) {
    const canvas = scope.document
      ? scope.document.createElement('canvas')
      : scope.OffscreenCanvas && new scope.OffscreenCanvas(1, 1);
    const gl = canvas?.getContext('webgl') as WebGLRenderingContext | null | undefined;
    if (gl) {
      // UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL, or VENDOR and RENDERER.
      const from = gl.getExtension('WEBGL_debug_renderer_info') ? 37445 : 7936;
      facts['gpu'] = gl.getParameter(from) + '~' + gl.getParameter(from + 1);
      // Browsers allow a page only some contexts at once; the page may need this one.
      gl.getExtension('WEBGL_lose_context')?.loseContext();
    }
  }
  return facts;
}

let ofPage: Facts | undefined;

/** Those of the page, read once: making a context for graphics takes longer than all other signals together. */
export const readPageFacts = (): Facts => (ofPage ??= readFacts(window, true));

/** Names, prefixed with the check's, of the facts that both sides have and do not share. */
export function compareFacts(check: string, ours: Facts, theirs: Facts): string[] {
  return Object.keys(theirs)
    .filter((name) => name in ours && ours[name] !== theirs[name])
    .map((name) => check + '.' + name);
}
