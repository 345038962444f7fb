/** Console messages for the page's author. They contain nothing about the respondent, and do not affect a verdict. */

/** A callback of the page that throws changes no verdict. */
export function reportFailure(callback: string, error: unknown): void {
  say(`the page’s ${callback} threw`, error);
}

export function say(sentence: string, ...details: unknown[]): void {
  // oxlint-disable-next-line no-console -- the page's author looks there
  console.error(`VerifyHuman: ${sentence}`, ...details);
}
