'use client';
import { useState } from 'react';
import { VerifyHuman } from 'verifyhuman/next';

async function confirm(token) {
  const response = await fetch('/verify', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return response.ok;
}

export default function Survey({ siteKey, apiEndpoint, respondentId }) {
  const [state, setState] = useState('Please confirm that you are a person.');
  return (
    <>
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
    </>
  );
}
