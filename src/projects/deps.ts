/**
 * What the routes of administration work with.
 */
import type { Environment } from '../config.js';
import type { Database } from '../stores/database/port.js';
import type { Directories } from '../administration/directories.js';
import type { SigningSecrets } from '../administration/signing-secrets.js';

export interface AdministrationDeps {
  readonly database: Database;
  readonly directories: Directories;
  readonly signingSecrets: SigningSecrets;
  readonly environment: Environment;
  readonly now: () => number;
}
