/**
 * Domains under which strangers get names of their own: a wildcard there would allow everybody. The list holds the
 * suffixes that people actually publish pages under; it is no complete public suffix list, and single-label suffixes
 * (`com`) are the caller’s to refuse.
 */

/** Second-level registries of countries: co.uk, com.au, ac.jp. */
const registryForm = /^(?:co|com|org|net|edu|gov|ac|mil)\.[a-z]{2}$/;

const sharedSuffixes: ReadonlySet<string> = new Set([
  // Registries that the form above does not cover.
  'me.uk', 'ltd.uk', 'plc.uk', 'sch.uk', 'nhs.uk', 'id.au', 'asn.au', 'or.jp', 'ne.jp', 'go.jp', 'ad.jp', 'gr.jp', 'lg.jp', 'or.kr', 're.kr', 'go.kr', 'ne.kr',
  'or.id', 'web.id', 'my.id', 'sch.id', 'go.id', 'or.th', 'in.th', 'go.th', 'gob.mx', 'gob.ar', 'gob.es', 'nom.es', 'com.de', 'eu.org', 'firm.in', 'gen.in',
  'ind.in', 'nic.in', 'or.at', 'asso.fr', 'gouv.fr', 'uk.com', 'us.com', 'eu.com', 'de.com', 'gb.net', 'jpn.com', 'za.com', 'br.com', 'or.ke', 'web.za',
  // Hosting of pages and apps.
  'github.io', 'githubpreview.dev', 'gitlab.io', 'bitbucket.io', 'vercel.app', 'now.sh', 'netlify.app', 'netlify.com', 'pages.dev', 'workers.dev', 'web.app',
  'firebaseapp.com', 'appspot.com', 'run.app', 'herokuapp.com', 'onrender.com', 'fly.dev', 'railway.app', 'deno.dev', 'surge.sh', 'glitch.me', 'repl.co',
  'replit.app', 'replit.dev', 'stackblitz.io', 'webcontainer.io', 'codesandbox.io', 'csb.app', 'lovable.app', 'bubbleapps.io', 'webflow.io', 'framer.app',
  'framer.website', 'wixsite.com', 'squarespace.com', 'weebly.com', 'wordpress.com', 'blogspot.com', 'myshopify.com', 'carrd.co', 'notion.site', 'super.site',
  'streamlit.app', 'hf.space', 'azurewebsites.net', 'azurestaticapps.net', 'cloudapp.net', 'cloudapp.azure.com', 'windows.net',
  'cloudfront.net', 'amazonaws.com', 'elasticbeanstalk.com', 'amplifyapp.com', 'awsapprunner.com',
  'digitaloceanspaces.com', 'ondigitalocean.app', 'b-cdn.net', 'r2.dev', 'translate.goog', 'googleusercontent.com', 'withgoogle.com',
  // Tunnels.
  'ngrok.io', 'ngrok.app', 'ngrok.dev', 'ngrok-free.app', 'ngrok-free.dev', 'trycloudflare.com', 'loca.lt', 'serveo.net', 'devtunnels.ms', 'ts.net', 'lhr.life',
  // Dynamic names.
  'duckdns.org', 'no-ip.org', 'ddns.net', 'dyndns.org', 'hopto.org', 'nip.io', 'sslip.io', 'xip.io',
]);

/** Clouds that hand out names at several depths, by region and service. */
const sharedFamilies = ['.amazonaws.com', '.cloudapp.azure.com', '.windows.net'];

/** Whether strangers get names directly under this domain. */
export function isSharedSuffix(domain: string): boolean {
  return registryForm.test(domain) || sharedSuffixes.has(domain) || sharedFamilies.some((family) => domain.endsWith(family));
}
