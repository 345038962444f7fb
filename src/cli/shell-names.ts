/** Addresses and keys of the demo organization by the names that the documentation uses, as lines for a shell. */
import type { Bootstrap } from '../projects/operator/bootstrap.js';

export function exportLines(bootstrap: Bootstrap): string[] {
  const { baseUrl, siteUrl, audienceUrl, projectId, siteKey, probeKey, projectKey, organizationKey } = bootstrap;
  return Object.entries({
    API: baseUrl,
    SITE: siteUrl,
    AUDIENCE: audienceUrl,
    PROJECT_ID: projectId,
    SITE_KEY: siteKey,
    PROBE_KEY: probeKey,
    PROJECT_KEY: projectKey,
    ORGANIZATION_KEY: organizationKey,
  }).map(([name, value]) => `export ${name}=${value}`);
}
