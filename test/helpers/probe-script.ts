/** The probe’s script as pages of tests and benches load it. Without the test runner, whose deadlines would end a long bench. */
import { probeFiles } from './repository.js';

export const scriptPath = '/sdk/lite/v1/vh-lite.iife.js';

/** The deadline is long, for machines where ten other things run; what a deadline does is tested with one of its own. */
export const defaultAttributes = 'data-project-key="pk_test" data-session-id="session-1" data-timeout-ms="60000"';

/** The bundle as the sources are now. */
export const bundle = (): string => probeFiles().script;
