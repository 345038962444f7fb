/** Packages of examples, which `npm ci` at the root does not install. */
import { existsSync } from 'node:fs';
import { repositoryPath } from './repository.js';

/** False where the example's packages are installed or have to be; otherwise why its test is left out. */
export function missingPackages(example: string): string | false {
  const isNeeded =
    process.env['VH_REQUIRE_STACK'] === '1' || existsSync(repositoryPath(`examples/${example}/node_modules`));
  return isNeeded ? false : `its packages are not installed: npm ci --prefix examples/${example}`;
}
