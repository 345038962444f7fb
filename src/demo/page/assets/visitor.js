/** A random id that this browser keeps, standing for the panel’s own id of a person. */
const name = 'vh-demo-visitor';

/** If storage is refused, the id lasts as long as the page. */
let fallback = null;

export function visitorId() {
  try {
    const kept = localStorage.getItem(name) ?? randomId();
    localStorage.setItem(name, kept);
    return kept;
  } catch {
    return (fallback ??= randomId());
  }
}

/** The next visit is somebody else’s. */
export function forgetVisitor() {
  fallback = null;
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

/** Not randomUUID, which pages without TLS lack. */
function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
