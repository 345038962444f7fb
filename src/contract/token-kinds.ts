/** Kinds of tokens, for whoever verifies one: the page's bundle, too. */
import type { SessionMode } from './common.js';

/** Header `typ` of each kind, by its claim `purpose`. */
export const tokenTypes = { verification: 'vh-verification+jwt', study_place: 'vh-place+jwt' } as const;

/** Audience of a token that anybody can check: those of test and demo sessions are not for the project itself. */
export const audienceOf = (projectId: string, mode: SessionMode): string =>
  mode === 'live' ? projectId : `${projectId}:${mode}`;
