/**
 * One session of a page with a camera: challenges from the service, a capture in real Chromium with the service’s own models, and the verdict.
 */
import type { Envelope } from '../../src/contract/envelope.js';
import type { VerifyReply } from '../../src/contract/score-envelope.js';
import { openCapturePage, type CapturePageOptions, type CaptureRun, type Test } from './capture-page.js';
import { startTestService, type TestService } from './service.js';
import { createSession, sendUntilJudged, verify } from './verifications.js';

export interface Participant {
  /** Whether the computed person does what is asked. */
  readonly answering: boolean;
  /** The computed person, as test/sdk/capture/page/synthetic-camera.js takes it; null for the browser’s own camera. */
  readonly face: Readonly<Record<string, unknown>> | null;
  readonly camera?: Readonly<Record<string, unknown>>;
  /** A clip of the computed person, in their place: how many frames, and what they do at which. */
  readonly clip?: readonly [count: number, moveAt: Readonly<Record<number, string>>];
  /** Most that the page waits for an answer to a challenge, ms; else as long as the service lets it. */
  readonly patienceMs?: number;
  readonly page?: CapturePageOptions;
  /** Most that a request takes either way, ms. */
  readonly jitterMs?: number;
  /** Name of the camera in the envelope, in place of the one that the browser told. */
  readonly label?: string;
  /** The project samples pictures, and they are taken. */
  readonly pictures?: boolean;
  /** One that the test started; else a service of this session’s own. */
  readonly service?: TestService;
}

export interface Participation {
  readonly run: CaptureRun;
  /** The page's data of its camera. */
  readonly envelope: Partial<Envelope>;
  readonly reply: VerifyReply;
  readonly complaints: readonly string[];
  /** Types of the fraud signals. */
  readonly signals: readonly string[];
}

export async function takePart(test: Test, person: Participant): Promise<Participation> {
  const service = person.service ?? (await startTestService(test));
  const { siteUrl, projectId } = service.bootstrap;
  // So that subtle signals come by name.
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { riskAggregator: 'on', ...(person.pictures === true && { evidenceFrames: 'sampled' }) } },
    headers: { 'x-api-key': service.bootstrap.organizationKey },
  });
  const { page, placeFace, run, complaints } = await openCapturePage(test, { ...person.page, connect: siteUrl });
  if (person.face !== null) await placeFace({ face: person.face, camera: person.camera ?? {} });
  else await page.evaluate('watchCamera()');
  if (person.clip !== undefined) await page.evaluate(`placeClip(...${JSON.stringify(person.clip)})`);
  const session = await createSession(service, { widgetMode: 'standard' });
  const done = await run({
    session: {
      url: `${siteUrl}/api/v1/public/sessions/${session.sessionId}/challenges`,
      clientSecret: session.clientSecret,
      count: session.challengeConfig.count,
      jitterMs: person.jitterMs ?? 0,
      ...(person.patienceMs === undefined ? {} : { patienceMs: person.patienceMs }),
    },
    models: `${siteUrl}/sdk/v1/models/`,
    answering: person.answering,
    deepfake: true,
    pictures: person.pictures === true,
  });
  await page.close();
  const { cameraMs: _camera, modelsMs: _models, camera, ...measured } = done.outcome?.parts ?? {};
  const envelope = {
    ...measured,
    camera: person.label === undefined ? camera : { ...(camera as object), label: person.label },
    cameraFailureReason: null,
    consent: { biometric: true, at: new Date().toISOString() },
  } as Partial<Envelope>;
  const answer = await sendUntilJudged(() => verify(service, session, envelope));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return {
    run: done,
    envelope,
    reply: answer.body,
    complaints,
    signals: answer.body.fraudSignals.map(({ type }) => type),
  };
}
