/**
 * Whether the place of a mount is still on the page. A page that takes the element away has called the mount off: nobody could see the
 * camera that goes on, or end it.
 */

/** Calls `onGone` once where an element that was on the page has left it, and is not put back in the same task. The function returned ends it. */
export function watchPresence(host: Element, onGone: () => void): () => void {
  let wasThere = host.isConnected;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new MutationObserver(() => {
    wasThere ||= host.isConnected;
    if (!wasThere || host.isConnected) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (host.isConnected) return;
      stop();
      onGone();
    });
  });
  const stop = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
  for (const root of rootsOf(host)) observer.observe(root, { childList: true, subtree: true });
  return stop;
}

/** The document, and each shadow root that the element is in: mutations are seen in their own tree alone. */
function rootsOf(host: Element): Node[] {
  const roots: Node[] = [document];
  for (let root = host.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) roots.push(root);
  return roots;
}
