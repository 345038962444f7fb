/*
 * Mounts the widget and sends the respondent on when the service has decided. All texts are the server's; this shows and hides them. What
 * the session came to, and where that leads, the service says: this script hands in the session's token and follows the answer.
 */
const page = document.getElementById('page');
const panels = [...page.querySelectorAll(':scope > section')];

/** Shows one panel in place of the others, and announces it to screen readers. */
function show(id) {
  for (const panel of panels) panel.hidden = panel.id !== id;
  if (id !== 'check') document.getElementById(id).focus();
}

/** Takes the token of a session that ended to the service, and goes where it says. */
async function finish(token) {
  const response = await fetch(`/v/${page.dataset.link}/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) return show('refused');
  const { status, location: target } = await response.json();
  if (target !== null) window.location.replace(target);
  else show(status === 'fail' ? 'unconfirmed' : 'done');
}

/** Handles a mount that ended without a pass. */
async function recover(error) {
  const token = error?.context?.token;
  if (typeof token === 'string') return finish(token);
  // The link ended between the visit and the start: its page says how.
  if (error?.code === 'LINK_ENDED') return window.location.reload();
  show(panelOf(error));
}

/** Says what ended the mount. A refusal is not blamed on the connection, and neither is the respondent's own choice. */
function panelOf(error) {
  if (error?.name === 'CameraAccessError') return 'camera';
  if (error?.code === 'CANCELED') return 'canceled';
  const isRefusal = error?.name === 'VerifyError' && !['NETWORK_ERROR', 'TIMEOUT'].includes(error.code);
  return isRefusal ? 'refused' : 'trouble';
}

async function start() {
  show('check');
  try {
    const result = await window.VH.mount('#widget', {
      siteKey: page.dataset.siteKey,
      apiEndpoint: page.dataset.api,
      linkId: page.dataset.link,
      // This page never passes anybody whom the service did not see.
      degradedMode: 'FAIL_CLOSED',
      // In score mode too, the link says where to go.
      onResult: () => false,
    });
    await finish(result.token);
  } catch (error) {
    await recover(error).catch(() => show('trouble'));
  }
}

for (const button of document.querySelectorAll('[data-act="retry"]'))
  button.addEventListener('click', () => void start());
void start();
