/* Goes on when the probe has been sent, or could not be, and at the latest after the deadline. What the browser lacks, the service says. */
const deadlineMs = 6_000;
const page = document.getElementById('page');
page.querySelector('section').hidden = false;
const goOn = () => window.location.replace(page.dataset.next);
document.addEventListener('vh-lite:probe', goOn, { once: true });
setTimeout(goOn, deadlineMs);
