/** The demo: from the survey to the result, and from there again. */
import { scoreVisit } from './backend.js';
import { h } from './dom.js';
import { showCounts, showProbeState } from './live.js';
import { observeQuestions, settle, waitForReport } from './probe.js';
import { renderResult } from './result.js';
import { createSurvey, failureCard } from './survey.js';
import { forgetVisitor } from './visitor.js';

const { sessionId, projectId, siteUrl } = document.body.dataset;
const surveyView = document.querySelector('#survey-view');
const resultView = document.querySelector('#result-view');

let observers = [];
let stopCounts = () => {};
const survey = createSurvey(document.querySelector('#survey'), (values) => void submit(values));
showProbeState(document.querySelector('#probe-state'));

document.addEventListener('DOMContentLoaded', () => {
  observers = observeQuestions(survey.questions);
  stopCounts = showCounts(document.querySelector('#live-rows'), observers);
});

async function submit({ country }) {
  stopCounts();
  observers.forEach((observer) => observer.stop());
  survey.setBusy('Waiting for the probe…');
  await waitForReport();
  await settle();
  survey.setBusy('Asking for the score…');
  try {
    show(await scoreVisit(sessionId, country), country);
  } catch (failure) {
    survey.showFailure(failure);
  }
}

function show(answer, country) {
  const { elements, message } = renderResult({ siteUrl, projectId }, answer, {
    scoreAgain: () => void scoreAgain(answer, country),
    newVisit: () => location.reload(),
    newPerson: () => {
      forgetVisitor();
      location.reload();
    },
  });
  resultView.replaceChildren(...elements);
  surveyView.hidden = true;
  resultView.hidden = false;
  document.title = `Score ${answer.reply.score} · VerifyHuman demo`;
  document.querySelector('#result-title').focus();
  scrollTo(0, 0);
  return message;
}

/**
 * Asks with the same body. The press of the button is behavior too: where the probe has reported it meanwhile, the answer is a
 * new receipt, and the identical retry is the call after that.
 */
async function scoreAgain({ reply: before }, country) {
  const button = document.querySelector('#score-again');
  button.disabled = true;
  try {
    await settle();
    const first = await scoreVisit(sessionId, country);
    const isSame = first.reply.receiptId === before.receiptId;
    const last = isSame ? first : await scoreVisit(sessionId, country);
    show(last, country).replaceChildren(
      retryNote(isSame, last.reply.receiptId === first.reply.receiptId, last.reply.receiptId),
    );
  } catch (failure) {
    document.querySelector('#message').replaceChildren(failureCard(failure));
  } finally {
    document.querySelector('#score-again').disabled = false;
  }
}

function retryNote(sameAsBefore, sameTwice, receiptId) {
  return h('p', { class: 'callout' }, retryText(sameAsBefore, sameTwice), ' ', h('code', { text: receiptId }));
}

function retryText(sameAsBefore, sameTwice) {
  if (sameAsBefore)
    return 'Same body and no new probe data: the service returned the same receipt and counted nothing.';
  if (sameTwice)
    return 'The probe sent new data, because pressing this button is behavior too, so the session got a new receipt. Scored again without new data, it returned the same receipt. A session counts once, however often you score it.';
  return 'The probe sent new data between the calls, so each got a new receipt. A session counts once, however often you score it.';
}
