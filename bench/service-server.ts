/** The service under load, in a process of its own. */
import { startTemporaryService } from './temporary-service.js';

process.send?.(await startTemporaryService());
