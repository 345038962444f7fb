/** The console: who is signed in, the project they look at, and the pages. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import './app.css';
import { guardedNavigation } from './leave-guard.js';
import { Pages } from './pages.js';
import { SignInPage } from './pages/sign-in.js';
import { Role } from './parts/role.js';
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
    <Router base="/console" aroundNav={guardedNavigation}>
      <Role.Provider value={state.identity.role}>
        <Shell identity={state.identity}>
          {(projectId) => <Pages projectId={projectId} organizationId={state.identity.organizationId} />}
        </Shell>
      </Role.Provider>
    </Router>
  );
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
