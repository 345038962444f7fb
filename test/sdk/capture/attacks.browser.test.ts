/** A photograph put in place of the camera does not pass. Other attacks are recorded, and judged in test/workers/verification/recorded.test.ts. */
import t from 'tap';
import { launchForPages } from '../../helpers/browser.js';
import { withoutChromium } from '../../helpers/capture-page.js';
import { takePart, type Participation } from '../../helpers/capture-session.js';
import { startTestService } from '../../helpers/service.js';

// A capture takes its time: a dozen challenges at a pace that people can follow, on the models of a slow machine.
t.setTimeout(300_000);

const skip = withoutChromium;
const browser = skip === false ? await launchForPages() : undefined;
const service = skip === false ? await startTestService(t) : undefined;
t.teardown(() => browser?.close());

/** The basis of the judgement, for a test that fails. */
const told = ({ run, reply }: Participation) => ({
  scores: reply.scores,
  signals: reply.fraudSignals,
  features: run.outcome?.parts['features'],
  guided: run.guided,
});

t.test('a still photograph in place of the camera', { skip }, async (t) => {
  // A page need not wait as long as a person may take.
  const still = { answering: false, face: {}, clip: [1, {}], patienceMs: 2_500 } as const;
  const seen = await takePart(t, { ...still, page: { browser }, ...(service && { service }) });
  t.equal(seen.run.outcome?.kind, 'captured', 'a still shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('frozen_frames'), 'frozen_frames', told(seen));
  t.equal(seen.run.outcome?.telemetry['challengesPassed'], 0);
});
