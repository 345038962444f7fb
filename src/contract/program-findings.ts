/**
 * Findings that make a visitor a program, whatever the score: one axis alone never blocks, and a study pays for each complete. The browser
 * says so itself, or carries what only automation tools leave in a page.
 */
export const programFindings: readonly string[] = [
  'declared_bot',
  'headless_user_agent',
  'webdriver',
  'automation_globals',
];
