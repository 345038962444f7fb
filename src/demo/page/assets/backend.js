/** Asks the page’s server to score the visit, as a survey asks its own backend. Failures are described in words, with a code. */
import { visitorId } from './visitor.js';

const timeoutMs = 15_000;

export class Failure extends Error {
  constructor(code, message, requestId = null) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

/** Answers `{ request, reply }`; throws a Failure. */
export async function scoreVisit(sessionId, declaredCountry) {
  const body = JSON.stringify({
    sessionId,
    visitorId: visitorId(),
    ...(declaredCountry === '' ? {} : { declaredCountry }),
  });
  const response = await send(body);
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw new Failure(answer?.code ?? `HTTP_${response.status}`, describe(response, answer), answer?.requestId ?? null);
}

async function send(body) {
  try {
    return await fetch('/demo/score', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    if (error.name === 'TimeoutError')
      throw new Failure('TIMEOUT', `The service did not answer within ${timeoutMs / 1000} seconds.`);
    throw new Failure('UNREACHABLE', 'The service could not be reached. Check that it is running, then try again.');
  }
}

function describe(response, answer) {
  const message = answer?.message ?? 'The service did not return JSON. Try again.';
  const waitSeconds = response.headers.get('retry-after');
  return waitSeconds === null ? message : `${message} Try again in ${waitSeconds} s.`;
}
