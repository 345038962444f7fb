/* global Survey */
// The backend wrote the session id into the page. It comes back with the answers, and the backend scores it.
const { sessionId } = document.querySelector('[data-session-id]').dataset;

const survey = new Survey.Model({
  pages: [
    { elements: [{ type: 'text', name: 'city', title: 'Where do you live?', isRequired: true }] },
    { elements: [{ type: 'comment', name: 'opinion', title: 'What do you think of coffee?' }] },
  ],
});

// The survey waits for this promise. It completes if the backend has the answers, whatever the backend thinks of them.
survey.onCompleting.add(async (model, options) => {
  const response = await fetch('/answers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, answers: model.data }),
  }).catch(() => null);
  if (response?.ok) {
    const { accepted } = await response.json();
    model.completedHtml = accepted ? '<p>Thank you.</p>' : '<p>Thank you. You do not qualify for this study.</p>';
  } else {
    options.allow = false;
    options.message = 'Your answers could not be saved. Please try again.';
  }
});

survey.render(document.getElementById('survey'));
