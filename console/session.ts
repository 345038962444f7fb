/** The signed-in person. The token lives in memory only; the cookie that renews it is out of reach of scripts. */
export interface Identity {
  readonly token: string;
  readonly expiresAt: string;
  readonly organizationId: string;
  readonly role: string;
  readonly subject: string;
  readonly baseUrl: string;
  readonly audienceUrl: string;
}

/** Name of the event that the session’s end raises on window. */
export const signedOutEvent = 'vh-signed-out';

let current: Identity | null = null;

const post = (path: string, body?: unknown): Promise<Response> =>
  fetch(`/console/${path}`, {
    method: 'POST',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

/** Gets a token for the session; null without a session. */
export async function renew(): Promise<Identity | null> {
  const answer = await post('token');
  if (answer.status !== 401 && !answer.ok) throw new Error('The service is not responding. Try again in a moment.');
  // A body that is not read keeps the connection busy.
  const body = (await answer.json()) as Identity;
  current = answer.ok ? body : null;
  return current;
}

/** Ways to sign in. */
export interface SignInMethods {
  /** One-time links of an operator. */
  readonly links: boolean;
  /** The identity provider. */
  readonly provider: boolean;
}

export async function readMethods(): Promise<SignInMethods> {
  const answer = await fetch('/console/sign-in');
  if (!answer.ok) throw new Error('The service is not responding. Try again in a moment.');
  return (await answer.json()) as SignInMethods;
}

const refusals: Readonly<Record<string, string>> = {
  unavailable: 'Your identity provider is not responding. Try again in a moment.',
  expired: 'The sign-in took too long, or began in another browser. Sign in again.',
  refused: 'Your identity provider did not confirm the sign-in. Sign in again, or ask your administrator.',
  limited: 'Too many sign-ins came from your network. Try again in a minute.',
  claims: 'Your account has no role in this service. Ask your administrator for one.',
};

/** Uses the one-time link in the address, if there is one, and removes it there. Returns why a sign-in was refused. */
export async function useLink(): Promise<string | null> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [link, refused] = [given.get('link'), given.get('refused')];
  if (link === null && refused === null) return null;
  history.replaceState(null, '', location.pathname);
  if (link === null) return refusals[refused ?? ''] ?? null;
  const answer = await post('sign-in', { link });
  return answer.ok ? null : ((await answer.json()) as { message: string }).message;
}

export async function signOut(): Promise<void> {
  await post('sign-out');
  endSession();
}

export function endSession(): void {
  current = null;
  window.dispatchEvent(new Event(signedOutEvent));
}

/** The identity with a token that is good for a while yet. */
export async function identity(): Promise<Identity> {
  const isFresh = current !== null && Date.parse(current.expiresAt) - Date.now() > 30_000;
  const known = isFresh ? current : await renew();
  if (known !== null) return known;
  endSession();
  throw new Error('Your session has ended. Sign in again.');
}
