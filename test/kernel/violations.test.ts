import t from 'tap';
import { Type, type TSchema } from 'typebox';
import { Nullable, StringEnum } from '../../src/contract/common.js';
import { createAjv, describeViolation, helpfulViolations } from '../../src/kernel/validation.js';

const told = (schema: TSchema, value: unknown): string[] => {
  const validate = createAjv(false).compile(schema);
  t.notOk(validate(value));
  return helpfulViolations(validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

t.test('of a field that may be null, only what is wrong with its value is told', (t) => {
  const field = (schema: TSchema) => Type.Object({ a: Nullable(schema), b: Type.Optional(Type.Integer()) });
  t.same(told(field(Type.String({ maxLength: 2 })), { a: 'long' }), ['/a must NOT have more than 2 characters']);
  t.same(told(field(Type.Object({ x: Type.Integer() })), { a: { x: 'y' } }), ['/a/x must be integer']);
  t.same(told(field(Type.String()), { a: 7, b: 'x' }), ['/a must be string or null', '/b must be integer']);
  t.same(told(field(Type.Array(Nullable(Type.Integer()))), { a: [1, 'x', 2, 'y'] }), [
    '/a/1 must be integer or null',
    '/a/3 must be integer or null',
  ]);
  t.end();
});

t.test('types are told in words that a caller can send', (t) => {
  const sentence = (schema: TSchema, value: unknown): string[] => {
    const validate = createAjv(false).compile(schema);
    t.notOk(validate(value));
    return helpfulViolations(validate.errors ?? []).map((each) => describeViolation(each, 'body').message);
  };
  t.same(sentence(Nullable(Type.Boolean()), 'off'), ['must be true, false or null.']);
  t.same(sentence(Type.Unsafe({ type: ['boolean', 'null'] }), 'off'), ['must be true, false or null.']);
  t.same(sentence(Type.Unsafe({ type: ['integer', 'null'] }), 'off'), ['must be a whole number or null.']);
  t.same(sentence(Type.Boolean(), 'off'), ['must be true or false.']);
  t.same(sentence(Type.String(), 7), ['must be a string.']);
  t.same(sentence(Type.Object({}), []), ['must be an object.']);
  t.same(sentence(Type.Array(Type.String()), {}), ['must be a list.']);
  t.end();
});

t.test('a time that does not exist is refused', (t) => {
  const validate = createAjv(false).compile(Type.String({ format: 'date-time' }));
  for (const time of ['2026-02-28T12:00:00Z', '2024-02-29 23:59:59.123+05:30', '2026-06-30t00:00:00z'])
    t.ok(validate(time), time);
  for (const time of [
    ...['2026-02-29T12:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T12:00:00', '2026-01-01'],
    ...['2026-06-30T23:59:60Z', '2026-06-30T00:00:00+05'],
  ]) {
    t.notOk(validate(time), time);
    t.match(
      (validate.errors ?? []).map((each) => describeViolation(each, 'body').message),
      [/must be a time with a time zone/],
    );
  }
  t.end();
});

t.test('a missing name is told together with the name that was sent instead', (t) => {
  const schema = Type.Object({
    sessionId: Type.String(),
    clientIp: Type.String(),
    studyId: Type.Optional(Type.String()),
  });
  const sentences = (value: unknown): string[] => {
    const validate = createAjv(false).compile(schema);
    t.notOk(validate(value));
    return (validate.errors ?? []).map((each) => describeViolation(each, 'body').message);
  };
  t.same(sentences({ session_id: 's', clientIP: 'x', studyId: 's' }), [
    'is missing; did you send it as "session_id"?',
    'is missing; did you send it as "clientIP"?',
  ]);
  t.same(
    sentences({ sesionId: 's', clinetIp: 'x' }),
    ['is missing; did you send it as "sesionId"?', 'is missing; did you send it as "clinetIp"?'],
    'with up to two letters changed',
  );
  t.same(sentences({ studyId: 's', other: 's', customerIp: 's' }), ['is missing.', 'is missing.'], 'and no more');
  t.end();
});

t.test('a short missing name is taken for no other, and a body of names without end is not compared', (t) => {
  const validate = createAjv(false).compile(Type.Object({ url: Type.String(), events: Type.Any() }));
  const sentences = (value: unknown): string[] => {
    validate(value);
    return (validate.errors ?? []).map((each) => describeViolation(each, 'body').message);
  };
  t.same(sentences({ uri: '', event: '' }), ['is missing.', 'is missing; did you send it as "event"?']);
  t.same(sentences({ URL: '', events: '' }), ['is missing; did you send it as "URL"?']);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`name${n}`, '']));
  t.same(sentences({ ...many, event: '' }), ['is missing.', 'is missing.']);
  t.end();
});

t.test('a name that belongs further inside is told with its place, as deep as it is', (t) => {
  const strict = { additionalProperties: false };
  const inner = Type.Object({ low: Type.Integer() }, strict);
  const schema = Type.Object(
    { lo: Type.String(), config: Type.Optional(Nullable(Type.Object({ inner: Type.Optional(inner) }, strict))) },
    strict,
  );
  const sentences = (value: unknown): string[] => {
    const validate = createAjv(false).compile(schema);
    t.notOk(validate(value));
    return helpfulViolations(validate.errors ?? []).map((each) => describeViolation(each, 'body').message);
  };
  t.same(sentences({ lo: '', low: 1 }), ['is not a known name; did you mean "config.inner.low"?']);
  t.same(sentences({ lo: '', config: { low: 1 } }), ['is not a known name; did you mean "inner.low"?']);
  t.same(sentences({ lo: '', constructor: 1, conf: 1 }).length, 2);
  t.end();
});

t.test('of several kinds, the one that was meant is told', (t) => {
  const kind = (name: string, rest: Record<string, TSchema>) =>
    Type.Object({ kind: StringEnum([name] as const), ...rest });
  const either = Type.Union([kind('one', { n: Type.Integer() }), kind('two', { s: Type.String(), u: Type.String() })]);
  t.same(told(either, { kind: 'two', s: 1, u: 2 }), ['/s must be string', '/u must be string']);
  t.same(told(either, { kind: 'one', n: 'x' }), ['/n must be integer']);
  t.end();
});
