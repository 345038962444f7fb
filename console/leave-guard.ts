/** Asks before a page with unsaved changes is left, by a link, another project or the browser. Going back in the browser's history is not asked about. */
import { useEffect } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';

const question = 'Leave without saving your changes?';
let isGuarded = false;

/** Guards the page while `hasChanges`. */
export function useLeaveGuard(hasChanges: boolean): void {
  useEffect(() => {
    if (!hasChanges) return;
    isGuarded = true;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      isGuarded = false;
      window.removeEventListener('beforeunload', ask);
    };
  }, [hasChanges]);
}

export const guardedNavigation: AroundNavHandler = (navigate, to, options) => {
  if (!isGuarded || window.confirm(question)) navigate(to, options);
};
