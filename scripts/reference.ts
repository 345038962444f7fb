/**
 * Renders what follows from code: the reference pages of errors, settings and metrics, and the dashboards. `npm run reference` writes them; a test
 * fails where a page and the code have parted.
 */
import { errorTable } from '../src/errors.js';
import { settings } from '../src/config/settings.js';
import { createMetrics } from '../src/telemetry/metrics.js';
import { renderBoards } from './dashboards/index.js';

const written = 'This page is written by `npm run reference` from the code; change it there.';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ]);
  return `# Errors

Every error has the body \`{ code, message, requestId, issues?, ...context }\`. \`code\` is stable; \`message\` is for people;
\`requestId\` is also the header \`X-Request-Id\` (send your own to follow a request through). Where single fields are at fault, \`issues\` lists
\`{ path, message }\` with \`path\` as a JSON pointer. Answers with 429 and 503 carry \`Retry-After\` in seconds.

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

Settings are environment variables. An unknown \`VH_*\` name, a malformed value or a contradiction stops the start with a sentence that names
the setting. Switches take \`on\` or \`off\` (also true, false, 1, 0).

Each may come from a file, as secrets do: \`NAME_FILE\` in place of \`NAME\` names it.
Variables that Kubernetes adds for services (\`*_SERVICE_HOST\`, \`*_PORT=tcp://...\`) are left out with a note.

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

Served for Prometheus at \`/metrics\` on the admin port, with the usual metrics of the Node.js process (the delays \`nodejs_eventloop_lag_*\`
are taken ten times a second, and each includes the 0.1 s since the one before). \`/healthz\` reports that the process lives,
\`/readyz\` that its stores answer.

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
    ...renderBoards(),
  };
}
