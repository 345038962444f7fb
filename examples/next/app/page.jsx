import { connection } from 'next/server';
import Survey from './survey.jsx';

/** A server component: the site key and the address are read when the page is asked for, not when it is built. */
export default async function Page() {
  await connection();
  return (
    <main>
      <h1>Before we begin</h1>
      <Survey siteKey={process.env.SITE_KEY} apiEndpoint={process.env.API} />
    </main>
  );
}
