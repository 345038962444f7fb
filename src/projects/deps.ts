/** What the routes of administration work with. */
import type { Environment } from '../config/settings.js';
import type { Database } from '../stores/database/port.js';
import type { Directories } from '../administration/directories.js';
import type { SigningSecrets } from '../administration/signing-secrets.js';

export interface AdministrationDeps {
  readonly database: Database;
  readonly directories: Directories;
  readonly signingSecrets: SigningSecrets;
  readonly environment: Environment;
  readonly now: () => number;
  /** Every type of fraud signal that a verdict may carry. */
  readonly fraudSignalTypes: readonly string[];
  /** Of these sources of a project’s live sessions, those that none was ever scored for. */
  readonly findSilentSources: (
    owner: { readonly organizationId: string; readonly namespace: string },
    sourceIds: readonly string[],
  ) => Promise<readonly string[]>;
}
