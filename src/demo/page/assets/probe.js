/** The probe from the page’s side: whether it has reported, its question observers, and waiting for it, never for long. */
const reportMsMax = 3_000;
const settleMs = 400;

/** Resolves with whether the probe’s message was taken; once, and false where the probe is blocked. */
export const reported = new Promise((resolve) => {
  document.addEventListener('vh-lite:probe', ({ detail }) => resolve(detail.sent), { once: true });
  document.addEventListener('DOMContentLoaded', () => {
    if (window.VHLite === undefined) resolve(false);
  });
});

/** Observes every question; empty where the probe is blocked. Call once the page’s scripts have run. */
export function observeQuestions(questions) {
  const start = window.VHLite?.startQuestionObserver;
  if (start === undefined) return [];
  return questions.map((question) => start(question, { questionId: question.dataset.question }));
}

/** Resolves when the probe has reported, and at the latest after three seconds. */
export const waitForReport = () => Promise.race([reported, pause(reportMsMax)]);

/**
 * Waits for the message that the probe sends on a press. Nothing confirms its arrival; if it comes later, the score uses the messages
 * before it.
 */
export const settle = () => pause(settleMs);

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
