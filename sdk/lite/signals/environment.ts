/** Plug-ins, cookies and storage: weak by themselves. */
import type { Reader } from '../types.js';

function isStorageUsable(): boolean {
  try {
    return !!localStorage;
  } catch {
    return false;
  }
}

export const readEnvironment: Reader<'env'> = () => ({
  plugins: navigator.plugins.length,
  pdf: navigator.pdfViewerEnabled ?? null,
  cookies: navigator.cookieEnabled,
  storage: isStorageUsable(),
});
