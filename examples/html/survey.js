// The backend's id of this visitor. It is set before the widget's own script, which reads the element.
const [, respondentId] = /(?:^|; )respondent=([^;]*)/.exec(document.cookie) ?? [];
if (respondentId) document.querySelector('[data-sitekey]').dataset.respondentId = respondentId;

const say = (text) => (document.getElementById('state').textContent = text);

// data-callback names this function. Its result is for display; the backend validates the token.
window.onVerified = async ({ token }) => {
  const response = await fetch('/verify', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  say(response.ok ? 'Thank you. The survey begins.' : 'We could not confirm that.');
};

document.addEventListener('vh:error', ({ detail }) => say(`Verification failed: ${detail.code ?? detail.name}`));
