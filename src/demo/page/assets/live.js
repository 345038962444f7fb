/** The panel next to the survey: the probe’s state, and the observers’ counts as they grow. */
import { h } from './dom.js';
import { reported } from './probe.js';

const refreshMs = 500;
const titles = { 'first-drink': '1 First drink', rested: '2 Rested', 'better-mornings': '3 Mornings' };

export function showProbeState(element) {
  void reported.then((sent) => {
    element.dataset.state = sent ? 'sent' : 'failed';
    element.querySelector('.text').textContent = sent
      ? 'Probe has reported'
      : 'Probe is blocked; scoring goes on without it';
  });
}

/** Shows the snapshots until the returned function is called. */
export function showCounts(body, observers) {
  body.closest('table').hidden = observers.length === 0;
  const rows = observers.map((observer) => createRow(observer.getSnapshot().questionId));
  body.replaceChildren(...rows.map(({ row }) => row));
  const refresh = () => observers.forEach((observer, at) => rows[at].update(observer.getSnapshot()));
  refresh();
  const timer = setInterval(refresh, refreshMs);
  return () => {
    refresh();
    clearInterval(timer);
  };
}

function createRow(questionId) {
  const cells = Array.from({ length: 4 }, () => h('td'));
  return {
    row: h('tr', {}, h('th', { scope: 'row', text: titles[questionId] ?? questionId }), cells),
    update({ timeOnQuestionMs, mouseMoveCount, keyCount, pasteCount }) {
      [`${Math.round(timeOnQuestionMs / 1000)} s`, mouseMoveCount, keyCount, pasteCount].forEach((value, at) => {
        cells[at].textContent = value;
      });
    },
  };
}
