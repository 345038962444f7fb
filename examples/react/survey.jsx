import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { VerifyHuman } from 'verifyhuman/react';

/** The backend's id of this visitor. */
const respondentId = /(?:^|; )respondent=([^;]*)/.exec(document.cookie)?.[1];

async function confirm(token) {
  const response = await fetch('/verify', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return response.ok;
}

function Survey({ siteKey, apiEndpoint }) {
  const [state, setState] = useState('Please confirm that you are a person.');
  return (
    <main>
      <h1>Before we begin</h1>
      <VerifyHuman
        siteKey={siteKey}
        apiEndpoint={apiEndpoint}
        studyId="study-7"
        respondentId={respondentId}
        onVerified={async ({ token }) =>
          setState((await confirm(token)) ? 'Thank you. The survey begins.' : 'We could not confirm that.')
        }
        onError={(error) => setState(`Verification failed: ${error.code ?? error.name}`)}
      />
      <p id="state" role="status">
        {state}
      </p>
    </main>
  );
}

const root = document.getElementById('root');
createRoot(root).render(<Survey siteKey={root.dataset.siteKey} apiEndpoint={root.dataset.api} />);
