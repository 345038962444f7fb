/**
 * The demo page: its template filled in, and the policy it is served under. A name in the template that nobody fills in is
 * a bug and throws.
 */
import { escapeHtml } from '../kernel/escape-html.js';

export interface PageValues {
  readonly sessionId: string;
  readonly projectId: string;
  readonly probeKey: string;
  readonly siteUrl: string;
}

/** Nothing inline and nothing from elsewhere. The probe opens empty frames and one worker from a blob; both are allowed for it. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'self' about:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Puts the values in place of their `{{name}}`, escaped for text and quoted attributes. */
export function renderPage(template: string, values: PageValues): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = (values as unknown as Readonly<Record<string, string | undefined>>)[name];
    if (value === undefined) throw new Error(`the demo page asks for "${name}", which is not one of its values`);
    return escapeHtml(value);
  });
}
