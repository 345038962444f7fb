/** The URI that an agent requested. A text that two parsers might read differently is null; nothing is thrown. */

export interface TargetUri {
  /** The text that the agent requested. */
  readonly text: string;
  readonly scheme: string;
  /** Lower case, without the scheme’s default port. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
}

/** Reads an absolute http or https URI whose host is written plainly; null for anything that two parsers might read differently. */
export function parseTargetUri(text: string): TargetUri | null {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^(https?):\/\/([a-z0-9._:[\]-]+)(\/[\x21-\x7e]*?)?(\?[\x21-\x7e]*)?$/i.exec(text) ?? [];
  if (scheme === '' || /[#\\]/.test(text) || !URL.canParse(text)) return null;
  const { host, port } = new URL(text);
  const written = authority.toLowerCase();
  // A port that URL drops is the scheme’s default; every other difference is a host written in a roundabout way.
  if (written !== host && !(port === '' && written.replace(/:(?:80|443)$/, '') === host)) return null;
  return { text, scheme: scheme.toLowerCase(), authority: host, path: path === '' ? '/' : path, query };
}
