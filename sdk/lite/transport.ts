/**
 * Sends messages to the service. Plain text without credentials keeps browsers from asking the
 * service for permission first. Nothing here throws.
 */

/** Sends and waits for the answer; empty where it was taken, else why not. */
export async function post(endpoint: string, text: string, timeoutMs: number): Promise<string> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      // A string is sent as plain text.
      body: text,
      credentials: 'omit',
      // The page's address may hold what is nobody's business.
      referrerPolicy: 'origin',
      keepalive: true,
      signal: abort.signal,
    });
    return response.ok ? '' : 'HTTP ' + response.status;
  } catch {
    return 'network';
  } finally {
    clearTimeout(timer);
  }
}
