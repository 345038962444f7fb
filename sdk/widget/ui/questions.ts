/** Questions about the camera: consent, the stage, and the next step if the camera was not given. */
import type { View } from '../ports.js';
import type { Surface } from './frame.js';
import { consentScreen } from './consent.js';
import { goesWithout, messageScreen, progressScreen, type Action, type Surroundings } from './screens.js';
import { openStage } from './stage.js';

const troubleIcons = { denied: 'off', busy: 'camera', dismissed: 'camera', canceled: 'camera' } as const;

/** `disclosure` is what has to be said and was not said yet. */
export function createQuestions(
  around: Surroundings,
  surface: Surface,
  disclosure: () => HTMLElement | null,
): Pick<View, 'askConsent' | 'openStage' | 'askCameraAgain'> {
  const { texts, frame, options } = around;
  const isInvisible = options.mode === 'invisible';
  return {
    askConsent: () =>
      new Promise((resolve) => {
        const onAnswer = (answer: 'granted' | 'declined') => {
          // The next step of invisible mode shows nothing.
          if (isInvisible) frame.closeDialog();
          resolve(answer);
        };
        const screen = consentScreen(around, disclosure(), onAnswer);
        // If the camera is required, closing the question is no answer to it.
        frame.show(surface, screen, goesWithout(options) ? () => onAnswer('declined') : undefined);
      }),
    openStage() {
      const { stage, screen, exit } = openStage(around);
      frame.show(surface, screen, () => exit('cancel'));
      let isOpen = true;
      return {
        ...stage,
        close() {
          if (!isOpen) return;
          isOpen = false;
          if (isInvisible || (stage.signal.aborted && surface === 'dialog')) frame.closeDialog();
          else frame.show(surface, progressScreen(around, texts.working));
        },
      };
    },
    askCameraAgain: (reason) =>
      new Promise((resolve) => {
        const again: Action = { label: texts.retry, kind: 'main', run: () => resolve('again') };
        const without: Action = { label: texts.decline, kind: 'plain', run: () => resolve('without') };
        const cancel: Action = { label: texts.cancel, kind: 'link', run: () => resolve('cancel') };
        const actions = goesWithout(options) ? [again, without, cancel] : [again, cancel];
        const message = { icon: troubleIcons[reason], tone: 'warn', text: texts[reason], actions } as const;
        frame.show(surface, messageScreen(around, message), () => resolve('cancel'));
      }),
  };
}
