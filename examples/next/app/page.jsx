import { cookies } from 'next/headers';
import { connection } from 'next/server';
import Survey from './survey.jsx';

/** A server component: the site key and the address are read when the page is asked for, not when it is built. */
export default async function Page() {
  await connection();
  const respondentId = (await cookies()).get('respondent')?.value;
  return (
    <main>
      <h1>Before we begin</h1>
      <Survey siteKey={process.env.SITE_KEY} apiEndpoint={process.env.API} respondentId={respondentId} />
    </main>
  );
}
