/** The form: progress, what is missing, and the messages under its button. */
import { h } from './dom.js';

const countryCodes =
  'AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HK HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PH PL PT RO SA SE SG TH TR TW UA US VN ZA'.split(
    ' ',
  );

/** `onSubmit` is called with the form’s values once every question is answered. */
export function createSurvey(form, onSubmit) {
  const questions = [...form.querySelectorAll('.question')];
  const slider = form.elements.rested;
  const button = form.querySelector('#submit');
  const status = form.querySelector('#status');
  let sliderTouched = false;
  let problem = null;

  const isAnswered = {
    'first-drink': () => form.elements['first-drink'].value !== '',
    rested: () => sliderTouched,
    'better-mornings': () => form.elements['better-mornings'].value.trim() !== '',
  };
  const answered = (question) => isAnswered[question.dataset.question]();

  fillCountries(form.elements.country);

  const refresh = () => {
    const count = questions.filter(answered).length;
    form.querySelector('#progress-text').textContent = `${count} of ${questions.length} answered`;
    const progress = form.querySelector('.progress');
    progress.setAttribute('aria-valuenow', count);
    progress.firstElementChild.style.width = `${(100 * count) / questions.length}%`;
    for (const question of questions) if (answered(question)) mark(question, false);
  };
  const touchSlider = () => {
    sliderTouched = true;
    form.querySelector('#rested-value').textContent = slider.value;
    refresh();
  };
  for (const type of ['input', 'pointerup']) slider.addEventListener(type, touchSlider);
  form.addEventListener('input', refresh);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const missing = questions.filter((question) => !answered(question));
    missing.forEach((question) => mark(question, true));
    if (missing.length > 0) missing[0].querySelector('input, textarea').focus();
    else onSubmit({ country: form.elements.country.value });
  });
  refresh();

  return {
    questions,
    /** Says what is going on; the button rests meanwhile. */
    setBusy(text) {
      problem?.remove();
      problem = null;
      button.disabled = true;
      status.textContent = text;
    },
    setIdle() {
      button.disabled = false;
      status.textContent = '';
    },
    showFailure(failure) {
      this.setIdle();
      problem = failureCard(failure);
      form.querySelector('.actions').after(problem);
      button.focus();
    },
  };
}

/** A failure in words, with its code. */
export function failureCard({ code, message, requestId }) {
  return h(
    'div',
    { class: 'callout callout-bad', role: 'alert' },
    h('p', {}, h('strong', { text: 'No score. ' }), message),
    h('p', { class: 'small muted' }, h('code', { text: code }), requestId === null ? '' : ` · request ${requestId}`),
  );
}

function mark(question, invalid) {
  question.toggleAttribute('data-invalid', invalid);
  question.querySelector('.field-error').hidden = !invalid;
  for (const field of question.querySelectorAll('input, textarea')) {
    if (invalid) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
}

function fillCountries(select) {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const known = countryCodes.map((code) => [names.of(code), code]).sort(([a], [b]) => a.localeCompare(b));
  select.append(...known.map(([text, value]) => h('option', { value, text })));
}
