import { Suspense } from 'react';
import { cookies } from 'next/headers';
import { connection } from 'next/server';
import Survey from './survey.jsx';

/** The page is built once; only the check below waits for a request. */
export default function Page() {
  return (
    <main>
      <h1>Before we begin</h1>
      <Suspense>
        <Check />
      </Suspense>
    </main>
  );
}

/** A server component: the site key and the address are read when the page is asked for, not when it is built. */
async function Check() {
  await connection();
  const respondentId = (await cookies()).get('respondent')?.value;
  return <Survey siteKey={process.env.SITE_KEY} apiEndpoint={process.env.API} respondentId={respondentId} />;
}
