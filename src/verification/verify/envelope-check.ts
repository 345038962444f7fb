/**
 * Checks an envelope: its schema, what a schema cannot say, and text that no database keeps. Anything at fault is INVALID_ENVELOPE (422) with
 * a pointer to each field.
 */
import { findUnstorable } from '../../kernel/body.js';
import { Envelope, findEnvelopeIssues } from '../../contract/envelope.js';
import { Fault, type Issue } from '../../errors.js';
import { createAjv, describeViolation } from '../../kernel/validation.js';
import { helpfulViolations } from '../../kernel/violations.js';

const issuesMax = 20;

export type CheckEnvelope = (body: unknown) => Envelope;

/** Compiles once; the answer throws INVALID_ENVELOPE. */
export function createEnvelopeCheck(): CheckEnvelope {
  const isEnvelope = createAjv(false).compile<Envelope>(Envelope);
  return (body) => {
    if (!isEnvelope(body))
      throw invalidEnvelope(
        helpfulViolations(isEnvelope.errors ?? []).map((violation) => describeViolation(violation, 'body')),
      );
    // The long texts are base64 by their schema.
    const text = findUnstorable({ ...body, frames: null, embedding: null }, '');
    const issues = [...findEnvelopeIssues(body), ...(text === null ? [] : [text])];
    if (issues.length > 0) throw invalidEnvelope(issues);
    return body;
  };
}

/** The fault of an envelope with fields at fault. */
export function invalidEnvelope(issues: readonly Issue[]): Fault {
  const [first] = issues;
  return new Fault(
    'INVALID_ENVELOPE',
    first === undefined
      ? 'The envelope is not valid.'
      : `${first.path === '' ? 'The body' : first.path} ${first.message}`,
    { issues: issues.slice(0, issuesMax) },
  );
}
