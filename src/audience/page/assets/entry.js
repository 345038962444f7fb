/*
 * Goes on when the probe has been sent, or could not be, and at the latest after the deadline. What the browser lacks, the service says. If the
 * service was too busy to take the probe, the page is loaded once more.
 */
const deadlineMs = 6_000;
const reloadAfterMs = 2_000;
const page = document.getElementById('page');
page.querySelector('section').hidden = false;
const goOn = () => window.location.replace(page.dataset.next);
const deadline = setTimeout(goOn, deadlineMs);
const isAgain = performance.getEntriesByType('navigation')[0]?.type === 'reload';
const onProbe = ({ detail }) => {
  if (isAgain || !['HTTP 429', 'HTTP 503'].includes(detail.reason)) return goOn();
  clearTimeout(deadline);
  setTimeout(() => window.location.reload(), reloadAfterMs);
};
document.addEventListener('vh-lite:probe', onProbe, { once: true });
