/** The folder of the files that every page loads. */
import { join } from 'node:path';
import { packageRoot } from '../../package-root.js';

export const pageFiles = join(packageRoot, 'src', 'administration', 'pages', 'assets');
