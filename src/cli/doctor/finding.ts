/** One line of the checklist. `text` says what was found, and for a fault what to do. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly text: string;
}

export const ok = (check: string, text: string): Finding => ({ check, status: 'ok', text });
export const warning = (check: string, text: string): Finding => ({ check, status: 'warning', text });
export const failed = (check: string, text: string): Finding => ({ check, status: 'failed', text });
