/** Keeps the focus near its place when the control that has it is removed or disabled, as after a change that worked. */
import { useEffect } from 'preact/hooks';

interface FocusedControl {
  readonly control: HTMLElement;
  readonly section: HTMLElement | null;
}

export function useKeptFocus(): void {
  useEffect(() => {
    const main = document.getElementById('main');
    if (main === null) return;
    let last: FocusedControl | null = null;
    const note = ({ target }: Event): void => {
      const control = target instanceof HTMLElement ? target.closest<HTMLElement>('button, input, select') : null;
      last = control !== null && main.contains(control) ? { control, section: control.closest('section') } : null;
    };
    const keep = (): void => {
      if (last === null || (last.control.isConnected && !last.control.matches(':disabled'))) return;
      const { activeElement } = document;
      if (activeElement !== document.body && activeElement !== last.control) return;
      const isPlaceLeft = last.section?.isConnected === true;
      const heading = (isPlaceLeft ? last.section : main)?.querySelector<HTMLElement>('h1, h2, h3');
      if (heading === undefined || heading === null) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(keep);
    observer.observe(main, { childList: true, subtree: true, attributeFilter: ['disabled', 'open'] });
    document.addEventListener('focusin', note);
    document.addEventListener('pointerdown', note);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('pointerdown', note);
    };
  }, []);
}
