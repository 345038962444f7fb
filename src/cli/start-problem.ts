/** The reason of a failed start, as a sentence. For a port that another process holds, it names the setting. */
import type { Settings } from '../config/settings.js';
import { isUnavailable } from '../errors.js';
import { causeOf } from '../stores/store-report.js';

const portSettings = ['PORT', 'AUDIENCE_PORT', 'ADMIN_PORT'] as const;

export function startProblem(error: unknown, settings: Pick<Settings, (typeof portSettings)[number]>): string {
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const name = portSettings.find((setting) => settings[setting] === port);
  if (code === 'EADDRINUSE' && name !== undefined)
    return `port ${port} is taken. Set ${name} to a free port, or to 0 for any.`;
  return isUnavailable(error) ? causeOf(error) : (error as Error).message;
}
