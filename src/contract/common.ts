/** Shapes that more than one part of the contract uses. */
import { Type, type Static, type TSchema } from 'typebox';
import { callerIdLengthMax } from '../limits.js';

/** One of a closed set of strings, as a plain JSON-Schema enum (shorter messages than anyOf/const). */
export function StringEnum<const Values extends readonly string[]>(
  values: Values,
  options: Record<string, unknown> = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

/** Bodies that configure refuse a name that they do not know: what is misspelt must not be left out in silence. */
export const strict = { additionalProperties: false } as const;

/** Live sessions count. Those of test and demo keys are apart from them; anybody may mint a demo key. */
export const sessionModes = ['live', 'test', 'demo'] as const;
export type SessionMode = (typeof sessionModes)[number];

/** A value that may be null, null meaning "not measured" or "not set", never zero. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** A field that may be left away; null says the same. */
export const Absent = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));

/** An identifier that the caller chose: any characters, 1 to 256 of them. */
export const CallerId = (description: string) =>
  Type.String({ minLength: 1, maxLength: callerIdLengthMax, description });

/** ISO 8601 instant in UTC. */
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 time in UTC.' });

/** A number of things. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** An integer from 0 to 100. */
export const Percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

/** One field at fault. */
export const ErrorIssue = Type.Object({
  path: Type.String({ description: 'JSON pointer to the field at fault; empty for the body as a whole.' }),
  message: Type.String({ description: 'Problem with the field, as the end of a sentence that starts with its name.' }),
});

/** The body of every HTTP error. `issues` is present where single fields are at fault. */
export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'Stable code, listed in docs/reference/errors.md.' }),
    message: Type.String({ description: 'The problem and the next step, in plain English.' }),
    requestId: Type.String({ description: 'Identifier of the request, also in the header X-Request-Id.' }),
    issues: Type.Optional(Type.Array(ErrorIssue)),
  },
  { additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody>;

/** A day of UTC in the query of a list. */
export const CalendarDay = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: `${description} YYYY-MM-DD, UTC.` }));
