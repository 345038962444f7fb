/** The very request that a backend sends, as a command to copy, and the reply as it came. */
import { h } from './dom.js';

export function requestCard(siteUrl, { request, reply }) {
  const command = curlCommand(siteUrl, request);
  const again = `curl -s ${siteUrl}/api/v1/lite/score/${reply.receiptId}/evidence \\\n  -H "X-API-Key: $PROJECT_KEY"`;
  return h(
    'section',
    { class: 'card stack', 'aria-labelledby': 'request-title', id: 'request' },
    codeBlock('request-title', 'h2', 'What your backend sends', command),
    h(
      'p',
      { class: 'small muted' },
      'This is the request that this page just made. Put the project key into ',
      h('code', { text: 'PROJECT_KEY' }),
      ' (it is in the data directory, in ',
      h('code', { text: 'bootstrap.json' }),
      ') and run it. Without new probe data, the same body returns the same receipt. For every operation, see the ',
      h('a', { href: '/docs/api/scoring.html', text: 'API reference' }),
      '.',
    ),
    h(
      'details',
      {},
      h('summary', { text: 'Read the evidence again later' }),
      codeBlock('again-title', 'h3', 'With the receipt', again),
    ),
  );
}

export function replyCard({ reply }) {
  return h(
    'section',
    { class: 'card stack', 'aria-labelledby': 'reply-title', id: 'reply' },
    codeBlock('reply-title', 'h2', 'What it gets back', JSON.stringify(reply, null, 2)),
  );
}

function curlCommand(siteUrl, request) {
  const body = JSON.stringify(request, null, 2).replaceAll("'", "'\\''");
  return `curl -s ${siteUrl}/api/v1/lite/score \\\n  -H "X-API-Key: $PROJECT_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

function codeBlock(id, heading, title, text) {
  const code = h(
    'pre',
    { class: 'code wrap', tabindex: '0', role: 'region', 'aria-labelledby': id },
    h('code', { text }),
  );
  const button = h('button', {
    type: 'button',
    class: 'button quiet compact',
    text: 'Copy',
    'aria-label': `Copy: ${title}`,
    onclick: () => void copy(text, code, button),
  });
  return h('div', { class: 'stack' }, h('div', { class: 'code-head' }, h(heading, { id, text: title }), button), code);
}

/** If the clipboard is refused, the text is selected instead. */
async function copy(text, code, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'Selected';
  }
  button.setAttribute('aria-live', 'polite');
}
