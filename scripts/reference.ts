/**
 * Renders what follows from code: the reference pages of errors, settings, metrics and the probe’s data, and the dashboards. `npm run reference` writes them; a test
 * fails where a page and the code have parted.
 */
import { errorTable } from '../src/errors.js';
import { settings } from '../src/config/settings.js';
import { createMetrics } from '../src/telemetry/metrics.js';
import { renderBoards } from './dashboards/index.js';
import { probeDataPage } from './probe-data.js';

const written = '<!-- `npm run reference` writes this page from the code. Change it there. -->';

/** Pages that explain an error further. */
const pagesOfErrors: Partial<Record<string, string>> = {
  INVALID_ENVELOPE: '[Envelope](envelope.md) lists its parts.',
  PROOF_REQUIRED: '[Proof of work](limits.md#proof-of-work) has the steps.',
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    [meaning, ...(pagesOfErrors[code] === undefined ? [] : [pagesOfErrors[code]])].join(' '),
  ]);
  return `# Errors

Every error has a JSON body. Decide by \`code\`, which is stable:

\`\`\`json
{
  "code": "VALIDATION_FAILED",
  "message": "…",
  "requestId": "…",
  "issues": [{ "path": "/clientIp", "message": "…" }]
}
\`\`\`

| field | meaning |
| --- | --- |
| \`code\` | one of the codes below |
| \`message\` | for people; may change |
| \`requestId\` | also the header \`X-Request-Id\`; send your own to follow a request |
| \`issues\` | only if fields are at fault; \`path\` is a JSON pointer |

Some codes add fields, such as \`limit\` and \`usage\`. Replies with 429 and 503 have the header \`Retry-After\` in seconds.

${table(['code', 'status', 'meaning'], rows)}

${written}
`;
}

function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, { fallback, shown, meaning }]) => [
    `\`${name}\``,
    shown ?? `\`${typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback)}\``,
    meaning,
  ]);
  return `# Settings

Settings are environment variables:

\`\`\`sh
PORT=8080 VH_LOG_LEVEL=warn npm start
\`\`\`

- An unknown \`VH_*\` name, a malformed value or a contradiction stops the start. The message names the setting.
- Switches take \`on\` or \`off\` (also true, false, 1, 0).
- To read a value from a file, set \`NAME_FILE\` to its path instead of \`NAME\`.
- Variables that Kubernetes adds for services (\`*_SERVICE_HOST\`, \`*_PORT=tcp://...\`) are ignored with a note.

${table(['setting', 'default', 'meaning'], rows)}

${written}
`;
}

async function metricsPage(): Promise<string> {
  const metrics = await createMetrics().registry.getMetricsAsJSON();
  const rows = metrics
    .filter(({ name }) => name.startsWith('vh_'))
    .map(({ name, type, help }) => [`\`${name}\``, String(type), help]);
  return `# Metrics

Every process serves its metrics for Prometheus on the admin port:

\`\`\`sh
curl -sS http://127.0.0.1:3002/metrics
\`\`\`

The usual metrics of a Node.js process come in addition. Its delays \`nodejs_eventloop_lag_*\` are sampled 10 times a second, and each includes the 0.1 s since the last sample.
[Monitor](../how-to/monitor.md) sets up dashboards and alerts with these metrics.

${table(['metric', 'type', 'meaning'], rows)}

${written}
`;
}

/** Every reference page and dashboard by its path in the repository. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/metrics.md': await metricsPage(),
    'docs/reference/probe-data.md': `${probeDataPage(table)}\n${written}\n`,
    ...renderBoards(),
  };
}
