/** The console: who is signed in, the project they look at, and the pages. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Redirect, Route, Router, Switch } from 'wouter-preact';
import './app.css';
import { AuditPage } from './pages/audit.js';
import { KeysPage } from './pages/keys.js';
import { SessionPage } from './pages/session.js';
import { SessionsPage } from './pages/sessions.js';
import { SettingsPage } from './pages/settings.js';
import { SignInPage } from './pages/sign-in.js';
import { SuppliersPage } from './pages/suppliers.js';
import { ThresholdsPage } from './pages/thresholds.js';
import { VerificationPage } from './pages/verification.js';
import { WebhookPage } from './pages/webhook.js';
import { WebhooksPage } from './pages/webhooks.js';
import { Failed, Loading } from './parts/states.js';
import { Shell } from './shell.js';
import { renew, signedOutEvent, useLink, type Identity } from './session.js';

type State =
  | { readonly is: 'starting' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'out'; readonly reason: string | null }
  | { readonly is: 'in'; readonly identity: Identity };

function App() {
  const [state, setState] = useState<State>({ is: 'starting' });
  const start = async (): Promise<void> => {
    const reason = await useLink();
    const identity = await renew();
    setState(identity === null ? { is: 'out', reason } : { is: 'in', identity });
  };
  const tryStart = (): void => void start().catch(({ message }: Error) => setState({ is: 'failed', message }));
  useEffect(() => {
    tryStart();
    const leave = (): void => setState({ is: 'out', reason: null });
    // A link that is opened in this tab changes the address only.
    window.addEventListener('hashchange', tryStart);
    window.addEventListener(signedOutEvent, leave);
    return () => {
      window.removeEventListener('hashchange', tryStart);
      window.removeEventListener(signedOutEvent, leave);
    };
  }, []);
  if (state.is === 'starting') return <Loading what="the console" />;
  if (state.is === 'failed') return <Failed message={state.message} retry={tryStart} />;
  if (state.is === 'out') return <SignInPage reason={state.reason} />;
  return (
    <Router base="/console">
      <Shell identity={state.identity}>
        {(projectId) => (
          <Switch>
            <Route path="/:project/sessions">
              <SessionsPage projectId={projectId} />
            </Route>
            <Route path="/:project/sessions/:session">
              {({ session }) => (
                <SessionPage key={session} projectId={projectId} sessionId={decodeURIComponent(session)} />
              )}
            </Route>
            <Route path="/:project/suppliers">
              <SuppliersPage projectId={projectId} />
            </Route>
            <Route path="/:project/thresholds">
              <ThresholdsPage projectId={projectId} />
            </Route>
            <Route path="/:project/verification">
              <VerificationPage projectId={projectId} />
            </Route>
            <Route path="/:project/webhooks">
              <WebhooksPage projectId={projectId} />
            </Route>
            <Route path="/:project/webhooks/:webhook">
              {({ webhook }) => (
                <WebhookPage key={webhook} projectId={projectId} webhookId={decodeURIComponent(webhook)} />
              )}
            </Route>
            <Route path="/:project/settings">
              <SettingsPage key={projectId} projectId={projectId} />
            </Route>
            <Route path="/:project/keys">
              <KeysPage projectId={projectId} />
            </Route>
            <Route path="/:project/audit">
              <AuditPage projectId={projectId} organizationId={state.identity.organizationId} />
            </Route>
            <Route>
              <Redirect to={`/${projectId}/sessions`} replace />
            </Route>
          </Switch>
        )}
      </Shell>
    </Router>
  );
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
