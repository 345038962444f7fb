/** Shown to whoever is not signed in. */
import { Failed } from '../parts/states.js';

export const SignInPage = ({ reason }: { reason: string | null }) => (
  <main class="sign-in">
    <div class="card">
      <img src="/console/assets/mark.svg" alt="" width="40" height="40" />
      <h1>Sign in to the console</h1>
      {reason !== null && <Failed message={reason} />}
      <p>Run this command on the server, then open the link that it prints:</p>
      <pre>
        <code>npm run console</code>
      </pre>
      <p class="muted">A link works once, for 10 minutes. You stay signed in for 8 hours.</p>
    </div>
  </main>
);
