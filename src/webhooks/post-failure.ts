/** Describes a request without a complete answer: a short class, what was observed, and what the receiver’s owner can do. */
import { TargetRefused } from '../net/guarded-connect.js';

export interface FailureFacts {
  readonly timedOut: boolean;
  readonly timeoutMs: number;
  /** Status of an answer that began. */
  readonly status: number | null;
  readonly readBytes: number;
}

interface Explanation {
  readonly codes: RegExp;
  readonly text: string;
}

/** By the code of the error, first match first. */
const explanations: readonly Explanation[] = [
  {
    codes: /^(ENOTFOUND|ENODATA|ENONAME|EBADNAME)$/,
    text: 'dns: the host of the URL has no address. Check the name, or change the URL of the webhook.',
  },
  {
    codes: /^(ESERVFAIL|ETIMEOUT|EREFUSED|EAI_AGAIN)$/,
    text: 'dns: the name servers of the URL’s host did not answer. Check them.',
  },
  {
    codes: /^ECONNREFUSED$/,
    text: 'connection: refused. Nothing listens at the host and port of the URL: start the receiver, or change the URL of the webhook.',
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    text: 'connection: there is no route to the host of the URL. Check its address and network.',
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    text: 'connection: not accepted in time. Check that a firewall lets it through.',
  },
  { codes: /^CERT_HAS_EXPIRED$/, text: 'tls: the certificate has expired. Renew it.' },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    text: 'tls: the certificate is for another name than the host of the URL. Install one for that name, or change the URL of the webhook.',
  },
  {
    codes:
      /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    text: 'tls: the certificate is not from a known authority, or an intermediate one is missing. Send the whole chain.',
  },
  {
    codes: /^(ERR_SSL|ERR_TLS|EPROTO|CERT_)/,
    text: 'tls: no secure connection came about. Check that HTTPS is served at the host and port of the URL.',
  },
  {
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED)$/,
    text: 'connection: closed by the receiver before its answer was complete. See its log, and that of what stands in front of it.',
  },
  {
    codes: /^(HPE_|UND_ERR_)/,
    text: 'protocol: the answer is no valid HTTP. Check that a web server listens at the host and port of the URL.',
  },
];

export function explainFailure(error: unknown, facts: FailureFacts): string {
  if (facts.timedOut) return explainTimeout(facts);
  if (error instanceof TargetRefused)
    return `target: ${error.message}. Deliveries go to the public internet only; change the URL of the webhook, or its DNS.`;
  const code = codeOf(error);
  const known = explanations.find(({ codes }) => codes.test(code));
  const text = known?.text ?? 'connection: it failed. Check that the host and port of the URL can be reached.';
  return code === '' ? text : `${text} (${code})`;
}

function explainTimeout({ timeoutMs, status, readBytes }: FailureFacts): string {
  const seconds = timeoutMs / 1_000;
  if (status === null) return `timeout: no answer within ${seconds} s. Answer first, and do the work afterwards.`;
  return `timeout: status ${status} came and the body did not end within ${seconds} s (${readBytes} bytes read). End the answer.`;
}

/** The code of an error, or of what caused it. */
function codeOf(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, syscall } = at as NodeJS.ErrnoException;
    // The system call distinguishes name servers that refuse from servers that refuse.
    // An assertion of the client on a status that HTTP has not, such as 000.
    if (code === 'ERR_ASSERTION') return 'HPE_INVALID_STATUS';
    if (typeof code === 'string')
      return code === 'ECONNREFUSED' && syscall?.startsWith('query') === true ? 'EREFUSED' : code;
    if (at.name === 'HTTPParserError') return 'HPE_INVALID';
    if (at instanceof AggregateError) {
      const inner = (at.errors as unknown[]).map(codeOf).find((found) => found !== '');
      if (inner !== undefined) return inner;
    }
  }
  return '';
}

/** Advice to the owner of an endpoint about a status; null if there is none. */
export function adviceFor(status: number | null, url: string): string | null {
  if (status === null || (status >= 200 && status < 300)) return null;
  if (status >= 300 && status < 400)
    return `status ${status}: redirects are not followed. Change the URL of the webhook to where ${new URL(url).host} redirects to.`;
  if (status === 401 || status === 403)
    return `status ${status}: refused by the receiver, so it is not repeated. Check how it verifies the signature, and what stands in front of it; then send it again.`;
  if (status === 404 || status === 410)
    return `status ${status}: nothing is at this path, so it is not repeated. Change the URL of the webhook; then send it again.`;
  if (status === 429)
    return 'status 429: the receiver limits the rate, and this status ends a delivery. Answer 503 to have it repeated; then send this one again.';
  if (status === 400 || status === 422)
    return `status ${status}: the receiver did not take the payload, so it is not repeated. See its answer; answer 2xx to duplicates; then send it again.`;
  if (status === 405) return 'status 405: the path takes no POST. Let it take POST, or change the URL of the webhook.';
  if (status === 409)
    return 'status 409: the receiver sees a conflict. Answer 2xx to what it has had before, so that it is not repeated.';
  if (status === 413)
    return 'status 413: the payload is too large for the receiver. Raise its limit, or that of what stands in front of it.';
  return `status ${status}: the receiver failed. See its answer and its log.`;
}
