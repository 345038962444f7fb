/**
 * A computed person before the camera, through the real models, judged by the real service: who does what is asked passes. What the page sends is what it measured, under the contract’s policy and from the service’s own model files.
 */
import t from 'tap';
import type { EvidenceFrame } from '../../../src/contract/evidence-frames.js';
import { launchDriven } from '../../helpers/browser.js';
import { withoutChromium, type Test } from '../../helpers/capture-page.js';
import { playPictures } from '../../helpers/picture-forgery.js';
import { takePart, type Participant } from '../../helpers/capture-session.js';
import { repositoryPath } from '../../helpers/repository.js';
import { startTestService, type TestService } from '../../helpers/service.js';
import { startFrameClock } from '../../helpers/frame-clock.js';
import { waitUntil } from '../../helpers/wait-until.js';

// Two captures and the models of a slow machine that looks at every frame.
t.setTimeout(590_000);

const skip = withoutChromium;
const frameClock = startFrameClock();
const clock = { aheadMs: 0 };
const browser = skip === false ? await launchDriven() : undefined;
t.teardown(() => browser?.close());
const service = skip === false ? await startService() : undefined;

async function startService(): Promise<TestService> {
  const service = await startTestService(
    t,
    { VH_FACE_MODELS: repositoryPath('deploy/face-models.example.json') },
    { now: () => frameClock.now() + clock.aheadMs },
  );
  await waitUntil(async () => (await fetch(`${service.bootstrap.adminUrl}/readyz`)).ok, 'face index ready');
  return service;
}

const participate = (t: Test, participant: Participant) =>
  takePart(t, { page: { browser, clock: frameClock }, ...(service && { service }), ...participant });

t.test(
  'a moving face that does what is asked passes, the camera is off before the sums are done, and a second time it comes out alike',
  { skip },
  async (t) => {
    // With pictures the embedding is theirs.
    const first = await participate(t, { answering: true, face: { seed: 11 }, pictures: true });
    const { run, reply, complaints } = first;
    const told = { reply, features: run.outcome?.parts['features'], guided: run.guided };
    t.equal(run.outcome?.kind, 'captured');
    t.match(reply, { status: 'pass', isDuplicate: false, biometricEvidence: 'seen' }, 'status', told);
    t.equal(reply.assuranceLevel, 'biometric');
    t.match(run.outcome?.telemetry, {
      challengesPassed: 3,
      challengesTotal: 3,
      deepfake: { hasSufficientData: true, verdict: 'ok' },
    });
    t.same(run.tracksAtDone, ['ended'], 'off when the end was told');
    t.equal(run.isShowing, false, 'the element shows nothing any more');
    t.same(complaints, [], 'nothing that the policy forbids');

    const again = await participate(t, { answering: true, face: { seed: 12, noise: 3 }, pictures: true });
    t.equal(again.reply.biometricEvidence, 'seen', 'judged', { reply: again.reply });
    // At least as alike as one person is. That it is a duplicate is no news: the device is the same as well.
    t.equal(again.reply.duplication?.matchMethod, 'biometric', 'face', { reply: again.reply });

    // A program that has one picture of a real face, and makes up the points of a head that does what is asked.
    if (service === undefined) throw new Error('no service');
    const [picture] = (run.outcome?.parts['evidenceFrames'] ?? []) as EvidenceFrame[];
    const forged = await playPictures({ service, clock }, Buffer.from(picture?.grey ?? '', 'base64'));
    t.equal(forged.status, 'fail');
    t.match(forged.failureReasons.join(), /The pictures do not show the (face|movements)/, 'reason', { forged });
    t.equal(forged.biometricEvidence, 'claimed');
  },
);
