/** Shown to whoever is not signed in: the ways to sign in that the service offers. */
import { useCall } from '../api.js';
import { Failed, Shown } from '../parts/states.js';
import { readMethods, type SignInMethods } from '../session.js';

export function SignInPage({ reason }: { reason: string | null }) {
  const methods = useCall<SignInMethods>('methods', readMethods);
  return (
    <main class="sign-in">
      <div class="card">
        <img src="/console/assets/mark.svg" alt="" width="40" height="40" />
        <h1>Sign in to the console</h1>
        {reason !== null && <Failed message={reason} />}
        <Shown of={methods} what="the ways to sign in">
          {({ provider, links }) => (
            <>
              {provider && (
                <p>
                  <a class="button" href="/console/oidc/start">
                    Sign in with your account
                  </a>
                </p>
              )}
              {links && <LinkHelp />}
              {!provider && !links && (
                <p>Nobody can sign in yet: set VH_OIDC_ISSUER and VH_OIDC_CLIENT_ID on the server.</p>
              )}
            </>
          )}
        </Shown>
      </div>
    </main>
  );
}

const LinkHelp = () => (
  <>
    <p>Run this command on the server, then open the link that it prints:</p>
    <pre>
      <code>npm run console</code>
    </pre>
    <p class="muted">A link works once, for 10 minutes. You stay signed in for 8 hours.</p>
  </>
);
