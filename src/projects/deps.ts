/** Dependencies of the administration’s routes. */
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
  /** Version of the scoring model that this release carries. */
  readonly modelVersion: string;
  /** Filters sources of a project’s live sessions down to those without any score. */
  readonly findSilentSources: (
    owner: { readonly organizationId: string; readonly namespace: string },
    sourceIds: readonly string[],
  ) => Promise<readonly string[]>;
}
