/**
 * The interface of one mount: draws what the flow asks for and answers with what the respondent did. It decides nothing. Captcha and
 * invisible mode ask about the camera in a modal dialog; standard mode shows everything in its card on the page.
 */
import type { CreateView, Outcome, View } from '../ports.js';
import { createBeginning, type Beginning } from './beginning.js';
import { createFrame, type Surface } from './frame.js';
import { outcomeMessage } from './outcomes.js';
import { createQuestions } from './questions.js';
import { goesWithout, messageScreen, progressScreen, type Action, type Surroundings } from './screens.js';

export const createView: CreateView = (options) => {
  const { mode } = options;
  const frame = createFrame(options);
  const { texts } = frame.language;
  const around: Surroundings = { texts, brand: frame.brand, frame, options };
  const beginning = createBeginning(around);
  const questions = createQuestions(around, mode === 'standard' ? 'page' : 'dialog', beginning.disclosure);
  return {
    awaitStart: beginning.awaitStart,
    ...questions,
    showProgress(phase) {
      const isCamera = phase === 'loading_camera';
      const text = isCamera ? texts.ready : texts.working;
      if (mode === 'invisible') frame.closeDialog();
      else if (mode === 'captcha' && !isCamera) beginning.showStrip('working', text);
      else frame.show(mode === 'standard' ? 'page' : 'dialog', progressScreen(around, text));
    },
    showOutcome: createOutcomes(around, beginning),
    close: frame.remove,
  };
};

/** Good ends settle at once; others wait to be read where there is something to choose. */
function createOutcomes(around: Surroundings, beginning: Beginning): View['showOutcome'] {
  const { texts, frame, options } = around;
  const { mode } = options;
  const surface: Surface = mode === 'invisible' ? 'dialog' : 'page';

  const choose = (outcome: Outcome) =>
    new Promise<'retry' | 'without' | 'done'>((resolve) => {
      const message = outcomeMessage(options, outcome);
      const finish = () => {
        if (surface === 'dialog') frame.closeDialog();
        else frame.show('page', messageScreen(around, message));
        resolve('done');
      };
      if (!outcome.canRetry) return finish();
      const retry: Action = { label: texts.retry, kind: 'main', run: () => resolve('retry') };
      const without: Action = { label: texts.decline, kind: 'plain', run: () => resolve('without') };
      const close: Action = { label: texts.close, kind: 'link', run: finish };
      const actions = [retry, ...(outcome.camera === 'seen' && goesWithout(options) ? [without] : []), close];
      frame.show(surface, messageScreen(around, { ...message, actions }), finish);
    });

  return async (outcome) => {
    const isGood = (outcome.status === 'pass' || outcome.status === 'declined') && outcome.code === null;
    if (mode === 'captcha' && isGood) beginning.showStrip('done', texts.done);
    else if (mode === 'invisible' && (isGood || !outcome.canRetry)) frame.closeDialog();
    else return choose(outcome);
    return 'done';
  };
}
