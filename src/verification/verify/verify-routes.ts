/**
 * The route that takes the verification envelope. The client secret comes first: who is not the session’s page learns nothing of the envelope, and who has none has none read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Envelope, findEnvelopeIssues } from '../../contract/envelope.js';
import type { AddressFacts } from '../../contract/facts.js';
import { CameraCheckReply, VerifyReply, type VerifyAnswer } from '../../contract/score-envelope.js';
import { registerJsonBody } from '../../http/json-body.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { createValidatorCompiler, checkerOf, describeViolation, helpfulViolations } from '../../kernel/validation.js';
import { envelopeBytesMax, envelopeSeparatorsMax, evidenceBytesMax } from '../../limits.js';
import { answerPreflights } from '../../administration/public-guard.js';
import { open, openSession, registerReadable, secretHeader, type PublicSessionDeps } from '../public-sessions.js';
import { findCameraCheck } from './camera-check.js';
import { readPageHeaders } from '../../net/page-headers.js';
import { showsComparison, type FaceTries } from './face-tries.js';
import type { VerifyService } from './verify-service.js';
import { findUnstorable } from '../../kernel/body.js';
import { Fault, type Issue } from '../../errors.js';

const route = routesOf('Sessions');

export interface VerifyRouteDeps extends PublicSessionDeps {
  /** null for an address that nobody has on the internet: it is of a network’s inside, or of a proxy that is not named. */
  readonly locate: (address: FastifyRequest['clientAddress']) => AddressFacts | null;
  readonly verifications: VerifyService;
  readonly faceTries: FaceTries;
  /** Envelopes that work once a session’s identifiers are put in; the first one without a camera. */
  readonly envelopeExamples: readonly unknown[];
}

export function registerVerifyRoute(app: FastifyInstance, deps: VerifyRouteDeps): void {
  void app.register(async (scope: FastifyInstance) => {
    registerReadable(scope);
    registerJsonBody(scope, 'application/json', { separatorsMax: envelopeSeparatorsMax });
    answerPreflights(scope, '/public/verify', 'POST');
    const checkEnvelope = createEnvelopeCheck();
    scope.post(
      '/public/verify',
      {
        bodyLimit: envelopeBytesMax + evidenceBytesMax,
        // Checked by the handler, after the secret, and answered with a code of its own.
        validatorCompiler: createValidatorCompiler(Type.Unknown()),
        onRequest: (request) => requireSecret(deps, request),
        ...route(open, {
          operationId: 'verifySession',
          summary: 'Verify a session by what its page measured',
          description:
            'With the header X-Client-Secret. Put the session’s sessionId, nonce and challenge ids into an example. A failed verdict is an answer, not an error. 202 is no verdict: with canEscalate, a session whose passive signals do not pass stays open for a camera check, once. With X-VH-Diagnostics the answer lists the risk’s contributions, if the session was created with a key that allows it.',
          headers: Type.Object({
            ...secretHeader,
            'x-vh-diagnostics': Type.Optional(Type.String({ description: 'Any value asks for diagnostics.' })),
          }),
          body: { ...Envelope, examples: [...deps.envelopeExamples] },
          response: {
            200: VerifyReply,
            202: CameraCheckReply,
            ...errorReplies([400, 401, 402, 403, 409, 410, 413, 415, 422, 429]),
          },
        }),
      },
      async (request, reply) => {
        const sessionId = sessionIdOf(request.body);
        // Checked first and reveals nothing: otherwise a secret that may be right would be reported as wrong.
        if (sessionId === '') throw invalidEnvelope([{ path: '/sessionId', message: 'is missing.' }]);
        const counts = () => 'requests' as const;
        const { clientSecret: _secret, ...opened } = await openSession(deps, request, reply, sessionId, counts);
        const { session } = opened;
        if (session.evidenceFrames !== 'sampled') requireSmall(request);
        await deps.limits.requireTrial(session.organizationId);
        const envelope = checkEnvelope(request.body);
        await deps.verifications.requireOpen(opened);
        const asked = findCameraCheck({ ...opened, envelope });
        if (asked !== null) return reply.code(202).send(asked);
        const { projectId, mode } = session;
        // Faces of test mode are compared with nobody.
        const { clientAddress } = request;
        const address = deps.locate(clientAddress);
        const hasFace = mode === 'live' && (envelope.embedding ?? envelope.evidenceFrames) != null;
        const judge = async (): Promise<VerifyAnswer> => {
          // A call that is refused until here uses up no completion of the page.
          await deps.guard.countWork('completions', opened, clientAddress);
          return deps.verifications.verify({
            ...opened,
            envelope,
            transport: readPageHeaders(request.headers),
            address,
            diagnostics: request.headers['x-vh-diagnostics'] !== undefined,
          });
        };
        const sender = { projectId, address: clientAddress, session, facts: address };
        const answer = hasFace ? await deps.faceTries.run(sender, judge, shows) : await judge();
        return 'cameraCheck' in answer ? reply.code(202).send(answer) : answer;
      },
    );
  });
}

/** Envelopes are large: those of a caller without a secret are not read. */
async function requireSecret(
  { secrets }: Pick<VerifyRouteDeps, 'secrets'>,
  { headers, clientAddress }: Pick<FastifyRequest, 'headers' | 'clientAddress'>,
): Promise<void> {
  if (headers['x-client-secret'] === undefined) await secrets.check(clientAddress, undefined, null);
}

const shows = (answer: VerifyAnswer): boolean => !('cameraCheck' in answer) && showsComparison(answer);

/** Empty where the body names none, which is no session. */
function sessionIdOf(body: unknown): string {
  const named = typeof body === 'object' && body !== null ? (body as { sessionId?: unknown }).sessionId : undefined;
  return typeof named === 'string' ? named : '';
}

/** Pictures are as large as all the rest: only a session that asks for them takes such an envelope. */
function requireSmall({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): void {
  // A chunked body names no length; one that does has it, or it was refused.
  const bytes = headers['content-length'] ?? Buffer.byteLength(JSON.stringify(body));
  if (Number(bytes) > envelopeBytesMax)
    throw new Fault('BODY_TOO_LARGE', `The envelope is too large. Send at most ${envelopeBytesMax} bytes.`);
}

const issuesMax = 20;

export type CheckEnvelope = (body: unknown) => Envelope;

/** The answer throws INVALID_ENVELOPE. */
function createEnvelopeCheck(): CheckEnvelope {
  const checker = checkerOf<Envelope>(Envelope);
  return (body) => {
    const isEnvelope = checker();
    if (!isEnvelope(body))
      throw invalidEnvelope(
        helpfulViolations(isEnvelope.errors ?? []).map((violation) => describeViolation(violation, 'body')),
      );
    // The long texts are base64 by their schema.
    const text = findUnstorable({ ...body, frames: null, embedding: null, evidenceFrames: null }, '');
    const issues = [...findEnvelopeIssues(body), ...(text === null ? [] : [text])];
    if (issues.length > 0) throw invalidEnvelope(issues);
    return body;
  };
}

/** The fault of an envelope with fields at fault. */
function invalidEnvelope(issues: readonly Issue[]): Fault {
  const [first] = issues;
  return new Fault(
    'INVALID_ENVELOPE',
    first === undefined
      ? 'The envelope is not valid. Correct the fields in `issues`.'
      : `${first.path === '' ? 'The body' : first.path} ${first.message}`,
    { issues: issues.slice(0, issuesMax) },
  );
}
