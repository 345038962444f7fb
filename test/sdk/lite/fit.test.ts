import fc from 'fast-check';
import t from 'tap';
import { fit, messageBytesMax } from '../../../sdk/lite/fit.js';
import type { ProbeBody, QuestionSnapshot } from '../../../src/contract/probe.js';
import { probeBytesMax } from '../../../src/limits.js';
import { humanBody } from '../../helpers/facts.js';

const question = (questionId: string, text?: string): QuestionSnapshot => ({
  questionId,
  timeOnQuestionMs: 12_345,
  mouseMoveCount: 20,
  keyCount: 30,
  pasteCount: 0,
  focusEntries: 1,
  focusExits: 1,
  ...(text === undefined ? {} : { text }),
});
const read = (message: string): ProbeBody => JSON.parse(message) as ProbeBody;

t.test('the probe and its endpoint mean the same limit', (t) => {
  t.equal(messageBytesMax, probeBytesMax);
  t.end();
});

t.test('a message that fits is sent as it is', (t) => {
  for (const body of [humanBody(), humanBody({ q: [question('q1', 'Why?')] })]) t.same(read(fit(body)), body);
  t.end();
});

t.test('the texts of the oldest questions go first, and nothing else while that suffices', (t) => {
  const q = Array.from({ length: 20 }, (_, n) => question(`q${n}`, `${n} `.repeat(400).slice(0, 1_000)));
  const sent = read(fit(humanBody({ q }))).q ?? [];
  t.same(
    sent.map(({ text: _, ...counts }) => counts),
    q.map(({ text: _, ...counts }) => counts),
    'every count is there',
  );
  const from = sent.findIndex(({ text }) => text !== undefined);
  t.ok(from > 0 && from < 20, `texts stay from question ${from} on`);
  t.same(sent.slice(from), q.slice(from));
  t.end();
});

t.test('no message is larger than its endpoint takes, whatever is asked and in whatever script', (t) => {
  const character = fc.constantFrom('a', 'ß', '問', '😀', '"', '\n', '\u0001');
  const text = (maxLength: number) =>
    fc.array(character, { maxLength, size: 'max' }).map((all) => all.join('').slice(0, maxLength));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text(127), fc.option(text(1_000), { nil: undefined })), { maxLength: 50, size: 'max' }),
      (questions) => {
        const body = humanBody({ q: questions.map(([id, shown]) => question(`q${id}`, shown)) });
        const message = fit(body);
        const { q: _, ...groups } = body;
        const { q: kept = [], ...sent } = read(message);
        return (
          Buffer.byteLength(message) <= probeBytesMax &&
          JSON.stringify(sent) === JSON.stringify(groups) &&
          kept.length <= questions.length
        );
      },
    ),
    { numRuns: 50 },
  );
  t.end();
});
